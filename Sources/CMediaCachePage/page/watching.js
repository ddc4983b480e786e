// Reports positions of playback to the server, which stores them for all browsers.

import { api } from "./api.js";

/** The time between two reports during playback, in milliseconds. */
const interval = 15_000;

/**
 * Reports the position of an asset's video.
 *
 * @param {HTMLVideoElement} video
 * @param {string} id the asset's ID
 * @param {AbortSignal} signal stops it when aborted
 */
export function startWatching(video, id, signal) {
  let reportedAt = -Infinity;
  let hasPlayed = false;
  const report = (isFinal) => {
    hasPlayed ||= !video.paused && !video.seeking;
    if (!hasPlayed || video.error || video.readyState === 0 || !Number.isFinite(video.duration)) return;
    const now = performance.now();
    if (!isFinal && now - reportedAt < interval) return;
    reportedAt = now;
    const position = video.ended ? video.duration : video.currentTime;
    // The next report replaces one that fails.
    api.changeAsset(id, { position, duration: video.duration }).catch(() => {});
  };
  video.addEventListener("timeupdate", () => report(false), { signal });
  for (const event of ["pause", "ended"]) video.addEventListener(event, () => report(true), { signal });
  addEventListener("pagehide", () => report(true), { signal });
}
