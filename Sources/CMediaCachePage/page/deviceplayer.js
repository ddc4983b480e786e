// The player of an item on another device.

import { make, updateText } from "./elements.js";
import { icon } from "./icons.js";

/**
 * Shows the player of an item.
 *
 * @param {{main: HTMLElement, signal: AbortSignal, item: Object}} view `signal` ends playback when aborted
 * @returns {string} the title
 */
export function showItem({ main, signal, item }) {
  const heading = make("h1", { tabindex: "-1" }, item.title);
  const poster = item.coverChanged ? `${item.folder}cover` : null;
  const video = make("video", {
    controls: true, playsinline: true, autoplay: true, preload: "auto", "aria-label": `Player: ${item.title}`, poster,
  });
  const message = make("p");
  const again = make("button.quiet.small", { type: "button" }, "Try again");
  const error = make("div.device-error", { role: "alert", hidden: true }, message, again);
  main.append(
    make("header.view-head.player-head", {},
      make("a.back", { href: "#/library", "aria-label": "Back" }, icon("back")), heading),
    make("div.device-stage", {}, video), error);
  heading.focus({ preventScroll: true });

  const fail = (text, canRetry) => {
    updateText(message, text);
    again.hidden = !canRetry;
    error.hidden = false;
  };
  const source = sourceOf(item, video);
  const load = () => {
    error.hidden = true;
    video.src = source.src;
    // If the browser requires a tap, its controls show a play button.
    video.play().catch(() => {});
  };
  video.addEventListener("error", () => {
    // Removing the source also raises an error event.
    if (!video.getAttribute("src")) return;
    fail(messageOf(video.error), true);
  });
  again.addEventListener("click", () => {
    const at = video.currentTime;
    load();
    if (at > 0) video.addEventListener("loadedmetadata", () => { video.currentTime = at; }, { once: true });
  });
  signal.addEventListener("abort", () => {
    video.removeAttribute("src");
    video.load();
  });
  if (source.reason) fail(source.reason, false);
  else load();
  if (navigator.mediaSession && globalThis.MediaMetadata) {
    navigator.mediaSession.metadata = new MediaMetadata({ title: item.title, artwork: poster ? [{ src: poster }] : [] });
  }
  return item.title;
}

/** Returns the source for playing an item, or the reason why the browser can't play it. */
function sourceOf({ kind, folder, isFinished, holeCount }, video) {
  const playsHLS = video.canPlayType("application/vnd.apple.mpegurl") !== "";
  if (kind === "file") return { src: folder };
  if (kind === "channel") {
    if (playsHLS) return { src: `${folder}${isFinished ? "all" : "index"}.m3u8` };
    return { reason: "This browser can’t play live streams. Open the page in another browser, such as Chrome or Safari." };
  }
  // Browsers stop at the first gap in a playlist. An MP4 continues after it.
  if (isFinished && (holeCount || !playsHLS)) return { src: `${folder}media.mp4?gaps=1` };
  if (playsHLS) return { src: `${folder}index.m3u8` };
  return { reason: "This browser plays a stream only after its download is complete." };
}

function messageOf(error) {
  switch (error?.code) {
    case MediaError.MEDIA_ERR_NETWORK: return "Playback stopped: a part isn’t cached, or the connection was lost.";
    case MediaError.MEDIA_ERR_DECODE: return "The browser can’t decode this media.";
    default: return "Playback failed: the media isn’t available, or the browser doesn’t support its format.";
  }
}
