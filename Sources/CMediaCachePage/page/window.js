// What a channel's video plays: a window of the recording, and which moment each of its seconds was.
//
// A browser that plays a playlist which grows begins at its end, wherever it is asked to begin, and can't seek in it. So
// what lies back is played by windows that are over, one after the other: each from where the last one ended up to the
// live edge of that moment, an hour at most. At the edge itself it's the playlist that grows.
//
// A browser that plays no playlists at all is given such windows as files, shorter ones since a file has to be made
// before it plays, from a minute before the edge on.

import { sentence } from "./api.js";
import { moment } from "./format.js";
import { notify } from "./notices.js";
import { readSegments } from "./playlists.js";
import { startResuming } from "./resuming.js";
import { playsHLS } from "./source.js";
import { channels } from "./store.js";

/** Nearer to the edge than this is live, in milliseconds. */
const liveWithin = 20_000;
const longestWindow = playsHLS ? 3600_000 : 300_000;
/** What "live" means where only files play: so late. A file that follows another is no shorter than the second. */
const lateness = 60_000;
const shortestFile = 10_000;
/** Where browsers begin in a playlist that grows (RFC 8216 §6.3.3): so many segments before its end. */
const segmentsBehind = 3;
/** A live stream that rested for longer goes on from where it rested. */
const longestRest = 15_000;

/**
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {string} options.base what the channel's paths stand behind
 * @param {() => Object} options.record the channel
 * @param {AbortSignal} options.signal ends it
 */
export function startWindow({ player, base, record, signal }) {
  const { video } = player;
  /** What plays: its segments, the moment of its beginning, the moment of its end, or null where it grows. */
  let shown = { segments: [], begin: null, end: null };
  let number = 0;
  let restedAt = null;
  /** What to do when so much is kept. */
  let awaited = null;
  let jumped = () => {};

  const now = () => {
    if (shown.begin === null) return record()?.edge ?? Date.now();
    const seconds = video.readyState > 0 ? video.currentTime : 0;
    return momentOf(shown.segments, seconds) ?? shown.begin + seconds * 1000;
  };
  /** Where it goes on when it was interrupted. */
  const resting = () => (shown.end === null ? Infinity : now());
  const resuming = startResuming({
    player, signal,
    place: () => (shown.end === null ? "at the live edge" : `at ${moment(resting())}`),
    resume: () => playFrom(resting(), true),
    // At the edge nothing can go on before something has come.
    isThere: () => shown.end !== null || !isRecorded() || (record()?.edge ?? 0) > now() + 1000,
  });
  const isRecorded = () => ["recording", "starting", "waiting"].includes(record()?.state);

  /** @param {boolean} [isAgain] whether it is what was played before, or follows it */
  async function playFrom(wanted, isAgain = false) {
    if (!isAgain) resuming.begin();
    const channel = record();
    if (!channel?.kept.length) return notify("Nothing is kept yet.");
    const edge = channel.edge ?? channel.kept.at(-1).to;
    awaited = null;
    if (!playsHLS && isRecorded()) {
      const latest = edge - (isAgain ? shortestFile : lateness);
      const first = isAgain ? wanted : channel.kept[0].from;
      if (latest < first) return awaitEdge(first + edge - latest, wanted, isAgain);
      return playWindow(Math.min(wanted, latest), edge, wanted, isAgain);
    }
    if (wanted > edge - liveWithin && isRecorded()) return play(edge, null, wanted, isAgain);
    return playWindow(wanted, edge, wanted, isAgain);
  }

  /** Goes on by itself when there is enough for a file. */
  function awaitEdge(edge, wanted, isAgain) {
    awaited = { edge, work: () => playFrom(wanted, isAgain) };
    player.fail(isAgain
      ? `Nothing more has come yet. It goes on at ${moment(wanted)} as soon as it does.`
      : "This browser plays channels a minute late, and less than that is kept yet. It begins by itself.", null);
  }

  function playWindow(target, edge, wanted, isAgain) {
    const channel = record();
    const at = Math.round(nearest(channel.kept, Math.min(target, edge - 1000)));
    if (Number.isFinite(wanted) && Math.abs(at - wanted) > 60_000) notify(`Nothing is kept of that moment. It plays from ${moment(at)}.`);
    const place = shown.end !== null && at < shown.end - 1000 ? placeOf(shown.segments, at) : null;
    // What is in the window already is a seek away.
    if (place === null || video.error) return play(at, Math.min(at + longestWindow, edge), wanted, isAgain);
    number += 1;
    video.currentTime = place;
    video.play().catch(() => {});
    jumped();
  }

  async function play(at, end, wanted, isAgain) {
    const turn = (number += 1);
    const isOld = () => turn !== number || signal.aborted;
    if (!isAgain) shown = { segments: [], begin: at, end };
    if (!isAgain) restedAt = null;
    jumped();
    try {
      const read = playsHLS ? readWindow : readFile;
      const found = end === null ? await readLive(base) : await read(base, at, end);
      if (isOld()) return;
      shown = { segments: found.segments, begin: found.segments[0]?.wall ?? at, end: found.end ?? end };
      video.dataset.windowBegin = shown.begin;
      if (isAgain) player.replay(found.src, found.place);
      else player.play(found.src, found.place);
      jumped();
    } catch (error) {
      if (!isOld() && !resuming.interrupted()) player.fail(sentence(error.message), () => playFrom(wanted));
    }
  }

  video.addEventListener("ended", () => {
    if (shown.end === null) return;
    const edge = record()?.edge ?? 0;
    if (edge > shown.end || isRecorded()) playFrom(shown.end, true);
  });
  video.addEventListener("pause",
    () => { restedAt = !video.error && shown.end === null && !video.ended ? { at: now(), since: performance.now() } : null; }
  );
  video.addEventListener("play", () => {
    if (restedAt && performance.now() - restedAt.since > longestRest) playFrom(restedAt.at);
    restedAt = null;
  });
  channels.watch(() => {
    if (!awaited || (record()?.edge ?? 0) < awaited.edge) return;
    const { work } = awaited;
    player.clear();
    work();
  }, signal);
  return {
    playFrom: (wanted) => playFrom(wanted), now, onJump: (work) => { jumped = work; },
    /** The live edge; of what isn't recorded any more, the last hour of it. */
    playLive: () => playFrom(isRecorded() ? Infinity : (record()?.edge ?? 0) - 3600_000),
  };
}

/** A window that is over. One that begins with a gap is no use to a browser: it begins behind that. */
async function readWindow(base, at, end) {
  const src = (from) => `${base}index.m3u8?begintime=${from}&endtime=${end}`;
  const all = await datedSegments(src(at));
  const first = all.findIndex(({ isGap }) => !isGap);
  return first <= 0 ? { src: src(at), segments: all } : {
    src: src(Math.round(all[first].wall)), segments: from(all, first)
  };
}

/** A window that is over as a file: as far as it has no gap, since a file's time goes on over one. */
async function readFile(base, at, end) {
  const all = await datedSegments(`${base}index.m3u8?begintime=${at}&endtime=${end}`);
  const first = all.findIndex(({ isGap }) => !isGap);
  if (first < 0) throw new Error("Nothing is kept of that moment.");
  const gap = all.findIndex(({ isGap }, index) => isGap && index > first);
  const segments = from(all, first).slice(0, gap < 0 ? undefined : gap - first);
  const until = gap < 0 ? end : Math.round(all[gap].wall);
  // A file has whole segments: within the first and the last one, so that it has none beside them.
  const src = `${base}${Math.ceil(segments[0].wall) + 1}-${until - 1}.mp4`;
  return { src, segments, end: until, place: Math.max(0, (at - segments[0].wall) / 1000) };
}

/** The live edge. Which segment the browser begins with is known by the rule alone: it may be the next one. */
async function readLive(base) {
  const src = `${base}index.m3u8`;
  const all = await datedSegments(src);
  return { src, segments: from(all, Math.max(0, all.length - segmentsBehind)) };
}

const datedSegments = async (src) => (await readSegments(src)).segments.filter(({ wall }) => wall !== null);

/** Segments from one on, as a playlist would have them that begins there. */
function from(segments, first) {
  const begin = segments[first]?.start ?? 0;
  return segments.slice(first).map((segment) => ({ ...segment, start: segment.start - begin }));
}

/** The moment of a place in a window; beyond what was read of it time goes on evenly. */
function momentOf(segments, seconds) {
  let [low, high] = [0, segments.length - 1];
  if (high < 0) return null;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (segments[middle].start <= seconds) low = middle;
    else high = middle - 1;
  }
  return segments[low].wall + (seconds - segments[low].start) * 1000;
}

/** The place of a moment in a window; null where it doesn't lie in a segment of it. */
function placeOf(segments, at) {
  const found = segments.find(({ wall, duration, isGap }) => !isGap && at >= wall && at < wall + duration * 1000);
  return found ? found.start + (at - found.wall) / 1000 : null;
}

/** A moment of which something is kept: the moment itself, else the next one, else the last. */
function nearest(kept, at) {
  const found = kept.find(({ to }) => to > at);
  return found ? Math.max(at, found.from) : kept[kept.length - 1].to - 1000;
}
