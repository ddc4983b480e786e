// Plays a channel in windows of its recording, and maps playback positions to times.
//
// A browser always starts a live playlist at its end, regardless of the requested position, and can't seek in it. Only
// the live edge is therefore played from the live playlist. The past is played in finished windows of at most an hour,
// up to the current live edge or the next gap. Each window begins at the end of the previous one, or after the gap.
// Browsers stop at a gap in a playlist, so the live playlist is requested with a length that excludes the last gap.
//
// In a browser without HLS, the windows are MP4 files of at most five minutes, because a file must be complete before
// it can be played. While the channel is recorded, the first file begins at least a minute before the live edge.

import { api, sentence } from "./api.js";
import { moment, time } from "./format.js";
import { missingText } from "./holes.js";
import { notify } from "./notices.js";
import { readSegments } from "./playlists.js";
import { startResuming } from "./resuming.js";
import { playsHLS } from "./source.js";
import { channels } from "./store.js";
import { isFollowing } from "./words.js";

/** The distance from the live edge that counts as live, in milliseconds. */
const liveWithin = 20_000;
/** The maximum length of a window, in milliseconds. */
const maximumWindow = playsHLS ? 3600_000 : 300_000;
/** The distance from the live edge, in milliseconds, at which a browser without HLS starts. */
const lateness = 60_000;
/** The minimum length of a file that follows another one, in milliseconds. */
const minimumFile = 10_000;
/** The distance from the end at which browsers start a live playlist: about 3 target durations (RFC 8216bis §6.3.3). */
const segmentsBehind = 3;
/** The length of the live playlist unless the request contains another one, in milliseconds. */
const liveLength = 60_000;
const awaitsStream = "Waiting for the stream to resume.";
/** The pause, in milliseconds, after which a live stream continues at its position instead of the live edge. */
const maximumPause = 15_000;

/**
 * Starts the playback of a channel. Times are in milliseconds since 1970.
 *
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {string} options.base the prefix of the channel's URLs
 * @param {() => Object} options.record returns the channel's record
 * @param {AbortSignal} options.signal stops it when aborted
 */
export function startWindowPlayback({ player, base, record, signal }) {
  const { video } = player;
  /** The current window: its segments, its start, and its end, which is null for the live playlist. */
  let shown = { segments: [], begin: null, end: null };
  let number = 0;
  let pausedAt = null;
  /** The request for playback that waits until the live edge reaches a time. */
  let awaited = null;
  let jumped = () => {};

  const now = () => {
    if (shown.begin === null) return record()?.edge ?? Date.now();
    const seconds = video.readyState > 0 ? video.currentTime : 0;
    return timeOf(shown.segments, seconds) ?? shown.begin + seconds * 1000;
  };
  const resumeTime = () => (shown.end === null ? Infinity : now());
  const resuming = startResuming({
    player, signal,
    position: () => (shown.end === null ? "at the live edge" : `at ${moment(resumeTime())}`),
    resume,
    // Playback of the live edge can't resume before a new segment is recorded.
    isAvailable: () => shown.end !== null || !isRecorded() || (record()?.edge ?? 0) > now() + 1000,
  });
  const isRecorded = () => isFollowing(record() ?? {});

  /** @param {boolean} [isContinuation] whether playback continues after the current window or an interruption */
  async function playFrom(requested, isContinuation = false) {
    if (!isContinuation) resuming.begin();
    const channel = record();
    if (!channel?.recordedRanges.length) return notify("Nothing recorded yet.");
    const edge = endOf(channel);
    awaited = null;
    if (!playsHLS && isRecorded()) {
      const latest = edge - (isContinuation ? minimumFile : lateness);
      const first = isContinuation ? requested : channel.recordedRanges[0].from;
      if (latest < first) {
        return awaitEdge(first + edge - latest, requested, isContinuation, isContinuation
          ? `Waiting for enough recorded time to continue at ${moment(requested)}.`
          : "This browser plays channels a minute late. Playback starts when a minute has been recorded.");
      }
      return playWindow(Math.min(requested, latest), edge, requested, isContinuation);
    }
    // Nothing is known to be missing until the stream resumes.
    if (isContinuation && channel.state === "waiting" && requested >= edge - 1000 && requested < Infinity) {
      return awaitEdge(edge + 1000, requested, true, awaitsStream);
    }
    if (requested > edge - liveWithin && isRecorded()) return play(edge, null, requested, isContinuation);
    return playWindow(requested, edge, requested, isContinuation);
  }

  const isSuperseded = (turn) => turn !== number || signal.aborted;

  const failed = (error, turn, requested) => {
    if (isSuperseded(turn) || resuming.interrupted()) return;
    player.fail(sentence(error.message), () => playFrom(requested));
  };

  /** Resumes playback after an interruption, during which events of the channel may have been lost. */
  async function resume() {
    const turn = number;
    const requested = resumeTime();
    try {
      channels.put(await api.channel(record().name));
    } catch (error) {
      return failed(error, turn, requested);
    }
    if (!isSuperseded(turn)) await playFrom(requested, true);
  }

  /** Waits until the live edge reaches a time. */
  function awaitEdge(edge, requested, isContinuation, reason) {
    awaited = { edge, requested, isContinuation };
    player.fail(reason, null);
  }

  /** Plays the time after the last gap as a window, while it is too short for a live playlist. */
  function playAfterGap(requested, isContinuation) {
    const channel = record();
    const edge = endOf(channel);
    const { from: start } = channel.recordedRanges.at(-1);
    const target = Number.isFinite(requested) ? Math.max(requested, start) : start;
    if (target < edge - 1000) return playWindow(target, edge, requested, isContinuation);
    return awaitEdge(edge + 1000, target, true, awaitsStream);
  }

  function playWindow(target, edge, requested, isContinuation) {
    const channel = record();
    const at = Math.round(nearest(channel.recordedRanges, Math.min(target, edge - 1000)));
    const gap = gapBefore(channel.recordedRanges, at);
    if (gap && requested >= gap.from - 1000 && requested < at - 1000) {
      notify(`${missingText((gap.to - gap.from) / 1000)} (${time(gap.from)}–${time(gap.to)}).`);
    } else if (Number.isFinite(requested) && Math.abs(at - requested) > 60_000) {
      notify(`Nothing is recorded at that time. Playing from ${moment(at)}.`);
    }
    const position = shown.end !== null && at < shown.end - 1000 ? positionOf(shown.segments, at) : null;
    // A time within the current window needs only a seek.
    if (position === null || video.error) {
      const end = channel.recordedRanges.find(({ to }) => to > at)?.to ?? edge;
      return play(at, Math.min(at + maximumWindow, end, edge), requested, isContinuation);
    }
    number += 1;
    video.currentTime = position;
    video.play().catch(() => {});
    jumped();
  }

  async function play(at, end, requested, isContinuation) {
    const turn = (number += 1);
    if (!isContinuation) {
      shown = { segments: [], begin: at, end };
      pausedAt = null;
    }
    jumped();
    try {
      const read = playsHLS ? readWindow : readFile;
      const found = end === null ? await readLive(base, record()) : await read(base, at, end);
      if (isSuperseded(turn)) return;
      if (!found) return playAfterGap(requested, isContinuation);
      shown = { segments: found.segments, begin: found.segments[0]?.wall ?? at, end: found.end ?? end };
      video.dataset.windowBegin = shown.begin;
      if (isContinuation) player.replay(found.src, found.position);
      else player.play(found.src, found.position);
      jumped();
    } catch (error) {
      failed(error, turn, requested);
    }
  }

  video.addEventListener("ended", () => {
    const { end } = shown;
    if (end === null) return;
    if (isRecorded() || endOf(record() ?? { recordedRanges: [] }) > end) playFrom(end, true);
    // The recording may be resumed.
    else awaited = { edge: end, requested: end, isContinuation: true };
  });
  video.addEventListener("pause", () => {
    pausedAt = !video.error && shown.end === null && !video.ended ? { at: now(), since: performance.now() } : null;
  });
  video.addEventListener("play", () => {
    awaited = null;
    if (pausedAt && performance.now() - pausedAt.since > maximumPause) playFrom(pausedAt.at);
    pausedAt = null;
  });
  channels.watch(() => {
    const channel = record();
    if (!awaited || !channel || (isRecorded() && endOf(channel) < awaited.edge)) return;
    const { requested, isContinuation } = awaited;
    player.clear();
    if (!isRecorded() && isContinuation && endOf(channel) <= requested) return;
    awaited = null;
    // A recording that has stopped gets no longer, so the rest of it is played.
    playFrom(isRecorded() || isContinuation ? requested : Math.min(requested, endOf(channel) - lateness), isContinuation);
  }, signal);
  return {
    playFrom: (requested) => playFrom(requested), now, onJump: (work) => { jumped = work; },
    /** Plays the live edge, or the last hour of a recording that is stopped or has ended. */
    playLive: () => playFrom(isRecorded() ? Infinity : (record()?.edge ?? 0) - 3600_000),
  };
}

/** Returns a finished window as a playlist. A gap at the start, which browsers can't play, is skipped. */
async function readWindow(base, at, end) {
  const src = (from) => `${base}index.m3u8?begintime=${from}&endtime=${end}`;
  const all = await datedSegments(src(at));
  const first = all.findIndex(({ isGap }) => !isGap);
  if (first <= 0) return { src: src(at), segments: all };
  return { src: src(Math.round(all[first].wall)), segments: from(all, first) };
}

/** Returns a finished window as a file, up to its first gap, since the positions in a file don't reflect gaps. */
async function readFile(base, at, end) {
  const all = await datedSegments(`${base}index.m3u8?begintime=${at}&endtime=${end}`);
  const first = all.findIndex(({ isGap }) => !isGap);
  if (first < 0) throw new Error("Nothing is recorded at that time.");
  const gap = all.findIndex(({ isGap }, index) => isGap && index > first);
  const segments = from(all, first).slice(0, gap < 0 ? undefined : gap - first);
  const until = gap < 0 ? end : Math.round(all[gap].wall);
  // A file consists of whole segments. The requested range starts and ends just inside the first and the last one, to
  // exclude their neighbors.
  const src = `${base}${Math.ceil(segments[0].wall) + 1}-${until - 1}.mp4`;
  return { src, segments, end: until, position: Math.max(0, (at - segments[0].wall) / 1000) };
}

/**
 * Returns the live playlist after the last gap; null if the recorded time after the gap is too short. The browser's
 * first segment is derived from RFC 8216bis and may be off by one.
 */
async function readLive(base, channel) {
  const length = endOf(channel) - channel.recordedRanges.at(-1).from;
  const src = `${base}index.m3u8${length < liveLength ? `?window=${Math.max(1, Math.floor(length / 1000))}` : ""}`;
  const all = await datedSegments(src);
  if (all.some(({ isGap }) => isGap)) return null;
  return { src, segments: from(all, Math.max(0, all.length - segmentsBehind)) };
}

/** Returns the end of the recorded time. The live edge may be later, after a gap. */
const endOf = ({ edge, recordedRanges }) => Math.min(edge ?? Infinity, recordedRanges.at(-1)?.to ?? 0);

const datedSegments = async (src) => (await readSegments(src)).segments.filter(({ wall }) => wall !== null);

/** Returns the segments starting at an index, with positions relative to the first of them. */
function from(segments, first) {
  const begin = segments[first]?.start ?? 0;
  return segments.slice(first).map((segment) => ({ ...segment, start: segment.start - begin }));
}

/** Returns the time of a position in a window, extrapolated after the last known segment. */
function timeOf(segments, seconds) {
  let [low, high] = [0, segments.length - 1];
  if (high < 0) return null;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (segments[middle].start <= seconds) low = middle;
    else high = middle - 1;
  }
  return segments[low].wall + (seconds - segments[low].start) * 1000;
}

/** Returns the position of a time in a window, or null if no segment contains it. */
function positionOf(segments, at) {
  const found = segments.find(({ wall, duration, isGap }) => !isGap && at >= wall && at < wall + duration * 1000);
  return found ? found.start + (at - found.wall) / 1000 : null;
}

/** Returns the time between the recorded range that begins at a time and the previous one, or null. */
function gapBefore(recordedRanges, at) {
  const index = recordedRanges.findIndex(({ from }) => Math.abs(from - at) < 1000);
  return index > 0 ? { from: recordedRanges[index - 1].to, to: recordedRanges[index].from } : null;
}

/** Returns the given time if it is recorded; otherwise the next recorded time, or the last recorded second. */
function nearest(recordedRanges, at) {
  const found = recordedRanges.find(({ to }) => to > at);
  return found ? Math.max(at, found.from) : recordedRanges.at(-1).to - 1000;
}
