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

  const fail = (words, work) => {
    say(text, words);
    retry = work;
    if (work) error.append(again);
    else again.remove();
    element.classList.add("failed");
  };
  const clear = () => {
    say(text, "");
    again.remove();
    element.classList.remove("failed");
  };
  /** Gives it something to play; from a place, if it has one. */
  const play = (src, from = 0) => {
    clear();
    at = from;
    video.src = src;
    if (from > 0) video.addEventListener("loadedmetadata", () => { video.currentTime = from; }, { once: true });
    // Where the browser wants a click first, its controls ask for it.
    video.play().catch(() => {});
  };
  again.addEventListener("click", () => {
    clear();
    retry?.();
    video.focus();
  });
  video.addEventListener("timeupdate", () => { if (video.currentTime > 0) at = video.currentTime; });
  video.addEventListener("error", () => {
    // An element that lets go of its source tells an error, too.
    if (!video.getAttribute("src")) return;
    const src = video.src;
    fail(wordsForError(video.error), () => play(src, at));
  });
  signal.addEventListener("abort", () => {
    video.removeAttribute("src");
    video.load();
  });
  return {
    element, video, play, fail, clear,
    seek(seconds) {
      if (!Number.isFinite(seconds)) return;
      video.currentTime = seconds;
    },
  };
}
