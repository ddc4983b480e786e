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

/**
 * Returns the ranges of consecutive gaps, in seconds from the first segment that isn't a gap. The MP4 of a stream omits
 * gaps at its beginning and end.
 */
function holesOf(segments) {
  const present = segments.filter(({ isGap }) => !isGap);
  const begin = present[0]?.start ?? 0;
  const end = present.at(-1)?.start ?? 0;
  const holes = [];
  for (const { start, duration, isGap } of segments) {
    if (!isGap || start < begin || start > end) continue;
    const [from, to] = [start - begin, start + duration - begin];
    const last = holes.at(-1);
    if (last && from - last.to < 0.01) last.to = to;
    else holes.push({ from, to });
  }
  return holes;
}
