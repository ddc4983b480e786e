// A video element with words for what goes wrong.

import { make, say } from "./elements.js";
import { wordsForError } from "./source.js";

/**
 * Makes a video.
 *
 * @param {{label: string, poster?: string, signal: AbortSignal}} options
 */
export function makeVideo({ label, poster, signal }) {
  const video = make("video", { controls: true, playsinline: true, preload: "auto", "aria-label": label, poster });
  const text = make("p");
  const again = make("button.quiet.small", { type: "button" }, "Try again");
  const error = make("div.error.player-error", { id: "player-error", role: "alert" }, text);
  const element = make("div.stage", {}, video, error);
  let retry = null;
  let at = 0;
  /** Where what was given last is to begin, until it does. */
  let pendingFrom = 0;
  /** Whether somebody wants it to play: a browser that gives up pauses, too. */
  let isWanted = true;

  const fail = (words, work) => {
    say(text, words);
    retry = work;
    if (!work) again.remove();
    else if (!again.isConnected) error.append(again);
    element.classList.add("failed");
  };
  const clear = () => {
    say(text, "");
    again.remove();
    element.classList.remove("failed");
  };
  const load = (src, from) => {
    at = from;
    pendingFrom = from;
    video.src = src;
  };
  video.addEventListener("loadedmetadata", () => {
    if (pendingFrom > 0) video.currentTime = pendingFrom;
    pendingFrom = 0;
  });
  /** Gives it something to play; from a place, if it has one. */
  const play = (src, from = 0) => {
    clear();
    load(src, from);
    isWanted = true;
    // Where the browser wants a click first, its controls ask for it.
    video.play().catch(() => {});
  };
  /** Gives it the same again, which rests if it did. Words of what went wrong stay until it plays. */
  const replay = (src, from = 0) => {
    const plays = isWanted;
    load(src, from);
    if (plays) video.play().catch(() => {});
    else video.addEventListener("loadeddata", clear, { once: true });
  };
  again.addEventListener("click", () => {
    clear();
    retry?.();
    video.focus();
  });
  video.addEventListener("timeupdate", () => {
    if (video.currentTime > 0) at = video.duration === Infinity ? 0 : video.currentTime;
  });
  video.addEventListener("play", () => { isWanted = true; });
  video.addEventListener("pause", () => { if (!video.error && !video.ended) isWanted = false; });
  video.addEventListener("error", () => {
    // An element that lets go of its source tells an error, too.
    if (!video.getAttribute("src") || player.onError()) return;
    const src = video.src;
    fail(wordsForError(video.error), () => play(src, at));
  });
  signal.addEventListener("abort", () => {
    video.removeAttribute("src");
    video.load();
  });
  const player = {
    element, video, play, replay, fail, clear,
    /** Whether somebody takes care of an error. */
    onError: () => false,
    /** The place that it's at, or was when it failed; 0 where it has no end. */
    at: () => at,
    seek(seconds) {
      if (!Number.isFinite(seconds)) return;
      pendingFrom = 0;
      video.currentTime = seconds;
    },
  };
  return player;
}
