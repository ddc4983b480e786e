// The positions of playback, which the server keeps for all browsers.

import { api } from "./api.js";
import { assets } from "./store.js";

/** The time between two reports of a position during playback, in milliseconds. */
const interval = 15_000;
/** The time of the last report of each asset, and the asset that each video has played. */
const reports = new Map();
const playedBy = new WeakMap();

const playedAsset = () => /^#\/play\/asset\/([^/?]+)/.exec(location.hash)?.[1] ?? null;

/** Sends the positions of assets that are played to the server. */
export function startWatching() {
  for (const event of ["timeupdate", "pause", "ended"]) {
    // Events of media don't bubble.
    document.addEventListener(event, ({ type, target }) => note(target, type !== "timeupdate"), true);
  }
  addEventListener("pagehide", () => {
    for (const video of document.querySelectorAll("video, audio")) note(video, true);
  });
}

function note(video, isFinal) {
  if (!(video instanceof HTMLMediaElement)) return;
  const id = playedAsset();
  // A preview, which doesn't play, has no position.
  if (id && !video.paused && !video.seeking) playedBy.set(video, id);
  if (!id || playedBy.get(video) !== id || video.error || video.readyState === 0 || !Number.isFinite(video.duration)) return;
  const now = performance.now();
  if (!isFinal && now - (reports.get(id) ?? -Infinity) < interval) return;
  reports.set(id, now);
  const at = video.ended ? video.duration : video.currentTime;
  // The next report replaces one that fails.
  api.changeAsset(id, { position: at, duration: video.duration }).catch(() => {});
}

/**
 * Makes the player of an asset begin at the server's position, unless this tab has its own, which is more exact.
 *
 * @param {string[]} parts the address of the player
 */
export function offerPosition([kind, id]) {
  const position = kind === "asset" ? assets.get(id)?.position : null;
  if (!position) return;
  const key = `mediacache.position ${kind} ${id}`;
  try {
    if (sessionStorage.getItem(key) === null) sessionStorage.setItem(key, position.toFixed(1));
  } catch { /* playback starts at 0 */ }
}
