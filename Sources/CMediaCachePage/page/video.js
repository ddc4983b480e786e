// A video element with error messages and keyboard shortcuts. `controls.js` adds the controls.

import { make, updateText } from "./elements.js";
import { mediaErrorMessage } from "./source.js";

const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrome/.test(navigator.userAgent);

/**
 * Creates a player.
 *
 * @param {{label: string, poster?: string, isOnDevice?: boolean, signal: AbortSignal}} options `isOnDevice` is that of
 *   `mediaErrorMessage`
 */
export function makeVideo({ label, poster, isOnDevice = false, signal }) {
  const video = make("video", { playsinline: true, tabindex: -1, preload: "auto", "aria-label": label, poster });
  const picture = make("div.picture", {}, video);
  // WebKitGTK doesn't read the duration of a file for a video without controls.
  if (isWebKit) {
    video.controls = true;
    video.addEventListener("loadeddata", () => { video.controls = false; });
  }
  const text = make("p");
  const again = make("button.quiet.small", { type: "button" }, "Try again");
  const error = make("div.error.player-error", { id: "player-error", role: "alert" }, text);
  const element = make("div.stage", {}, picture, error);
  let retry = null;
  let at = 0;
  /** The start position of the current source, until it is reached. */
  let pendingFrom = 0;
  /** Whether the user wants the video to play. Unlike `paused`, it doesn't change when the video fails or ends. */
  let shouldPlay = true;

  const fail = (words, work) => {
    updateText(text, words);
    retry = work;
    if (!work) again.remove();
    else if (!again.isConnected) error.append(again);
    element.classList.add("failed");
  };
  const clear = () => {
    updateText(text, "");
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
  /** Plays a source, starting at a position in seconds. */
  const play = (src, from = 0) => {
    clear();
    load(src, from);
    shouldPlay = true;
    // If the browser requires a click, the video stays paused, and the controls show a play button.
    video.play().catch(() => {});
  };
  /** Reloads a source. A paused video stays paused. The error message remains until the source plays. */
  const replay = (src, from = 0) => {
    const wasPlaying = shouldPlay;
    load(src, from);
    if (wasPlaying) video.play().catch(() => {});
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
  video.addEventListener("play", () => { shouldPlay = true; });
  video.addEventListener("pause", () => { if (!video.error && !video.ended) shouldPlay = false; });
  video.addEventListener("error", () => {
    // Removing the source also raises an error event.
    if (!video.getAttribute("src") || player.onError()) return;
    const src = video.src;
    fail(mediaErrorMessage(video.error, isOnDevice), player.reload ?? (() => play(src, at)));
  });
  signal.addEventListener("abort", () => {
    video.removeAttribute("src");
    video.load();
  });
  const player = {
    element, picture, video, play, replay, fail, clear,
    /** Handles an error. Returns whether it was handled. */
    onError: () => false,
    /** Plays the media again after an error, at its position; by default, its source is set again. */
    reload: null,
    /** Continues at the live edge; null if the media isn't live, or its playback has no such function. */
    toLive: null,
    /** Returns the position in seconds, even after a failure; 0 for a stream without an end. */
    at: () => at,
    seek(seconds) {
      if (!Number.isFinite(seconds)) return;
      pendingFrom = 0;
      video.currentTime = seconds;
    },
    togglePlay: () => (video.paused ? video.play().catch(() => {}) : video.pause()),
    toggleFullScreen() {
      if (document.fullscreenElement) document.exitFullscreen();
      else if (element.requestFullscreen) element.requestFullscreen().catch(() => {});
      // iPhones show only the video in full screen.
      else video.webkitEnterFullscreen?.();
    },
    togglePictureInPicture() {
      if (document.pictureInPictureElement) document.exitPictureInPicture();
      else video.requestPictureInPicture?.().catch(() => {});
    },
  };
  return player;
}

/** Returns the range in which a video can be seeked, in seconds; null if it isn't known or empty. */
export function rangeOf(video) {
  const { duration } = video;
  if (Number.isFinite(duration)) return duration > 0 ? { from: 0, to: duration } : null;
  // If `seekable` is read before the metadata, WebKitGTK doesn't determine the duration.
  if (video.readyState === HTMLMediaElement.HAVE_NOTHING) return null;
  const { seekable } = video;
  if (!seekable.length) return null;
  const [from, to] = [seekable.start(0), seekable.end(seekable.length - 1)];
  return to > from ? { from, to } : null;
}

/** Returns a function that seeks to a fraction of a video, from 0 to 1. */
export const seekWithin = (player) => (share) => {
  const range = rangeOf(player.video);
  if (range) player.seek(range.from + share * (range.to - range.from));
};

/** Returns a function that skips a number of seconds within a video. */
export const skipWithin = (video) => (seconds) => {
  video.currentTime = Math.min(Math.max(0, video.currentTime + seconds), video.duration || Infinity);
};

/** Elements that handle Escape themselves. */
export const takesText = "input:not([type=range]), textarea, select, dialog";
/** Elements that handle the other keys themselves. */
const takesKeys = `${takesText}, [data-handle]`;
/** Elements that handle the arrow keys themselves. */
const takesArrows = "[role=slider], input[type=range]";
/** Elements that handle Space themselves. */
const takesSpace = "button, a, summary, label, [role=slider]";

/**
 * Sets up the keyboard shortcuts of a player.
 *
 * @param {Object} options
 * @param {ReturnType<makeVideo>} options.player
 * @param {AbortSignal} options.signal stops it when aborted
 * @param {() => void} options.leave called for Escape
 * @param {ReturnType<import("./trackmenu.js").makeTrackMenu>} options.menu
 * @param {(seconds: number) => void} options.skip skips a number of seconds
 * @param {(share: number) => void} options.seek seeks to a fraction of the timeline, from 0 to 1
 */
export function startKeys({ player, signal, leave, menu, skip, seek }) {
  const { video } = player;
  const louder = (step) => { video.volume = Math.min(1, Math.max(0, Math.round((video.volume + step) * 20) / 20)); };
  const keys = {
    " ": player.togglePlay,
    k: player.togglePlay,
    j: () => skip(-10),
    l: () => skip(10),
    ArrowLeft: () => skip(-10),
    ArrowRight: () => skip(10),
    ArrowUp: () => louder(0.1),
    ArrowDown: () => louder(-0.1),
    f: player.toggleFullScreen,
    m: () => { video.muted = !video.muted; },
    p: player.togglePictureInPicture,
    c: menu.nextSubtitles,
    "<": () => menu.changeSpeed(-1),
    ">": () => menu.changeSpeed(1),
    Escape: leave,
  };
  for (let digit = 0; digit < 10; digit += 1) keys[digit] = () => seek(digit / 10);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!keys[key]) return;
    // Escape first ends full screen and closes an open menu.
    if (key === "Escape" && (document.fullscreenElement || document.querySelector(".control-menu[open]"))) return;
    if (event.target.closest?.(key === "Escape" ? takesText : takesKeys)) return;
    if (key.startsWith("Arrow") && event.target.closest?.(takesArrows)) return;
    if (key === " " && event.target.closest?.(takesSpace)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[key]();
  }, { signal, capture: true });
}

/** The keyboard shortcuts of a player, and their effects. */
export const shortcuts = [
  ["Space K", "Play or pause"], ["← → J L", "10 seconds back or forward"], ["0…9", "To 0–90% of the timeline"],
  ["↑ ↓", "Volume"], ["M", "Mute"], ["C", "Next subtitles"], ["< >", "Slower or faster"], ["F", "Full screen"],
  ["P", "Picture in picture"], ["Esc", "Back"], ["?", "This list"],
];
