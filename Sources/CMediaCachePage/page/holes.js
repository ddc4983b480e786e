// Skips the missing segments of a stream that was downloaded or recorded incompletely.

import { clock, words } from "./format.js";
import { notify } from "./notices.js";
import { readSegments } from "./playlists.js";

/** The distance before a hole, in seconds, at which it is skipped. Playback may stop shortly before its end. */
const reach = 0.3;
/** The distance if playback has stopped, because no data follows. */
const stalledReach = 1;

/**
 * Skips holes during playback, and reports what is missing.
 *
 * @param {ReturnType<import("./video.js").makeVideo>} player
 * @param {string} playlist the URL of the stream's playlist, in which missing segments are gaps
 * @param {AbortSignal} signal stops it when aborted
 */
export async function startSkippingHoles(player, playlist, signal) {
  const { video } = player;
  let holes = [];
  const skip = (distance) => {
    const at = video.currentTime;
    const hole = holes.find(({ from, to }) => at >= from - distance && at < to - 0.05);
    if (!hole || video.seeking || video.readyState === 0) return;
    notify(`${missingText(hole.to - hole.from)} (${clock(hole.from)}–${clock(hole.to)}).`);
    video.currentTime = Math.min(hole.to, video.duration || Infinity);
  };
  video.addEventListener("timeupdate", () => skip(reach), { signal });
  video.addEventListener("waiting", () => skip(stalledReach), { signal });
  try {
    holes = holesOf((await readSegments(playlist)).segments);
  } catch {
    // Playback shows its own error.
  }
}

/** Describes the length of a missing range, for example "1 minute missing". */
export const missingText = (seconds) => `${words(Math.max(1, seconds))} missing`;

/** Returns the ranges of consecutive gaps, in seconds. */
function holesOf(segments) {
  const holes = [];
  for (const { start, duration, isGap } of segments) {
    if (!isGap) continue;
    const last = holes.at(-1);
    if (last && start - last.to < 0.01) last.to = start + duration;
    else holes.push({ from: start, to: start + duration });
  }
  return holes;
}
