// Plays the recording of a channel, and maps playback positions to wall-clock times.
//
// The whole recording is one stream in fragments, up to the live edge. Of a very long recording, only a part is a
// stream, because its list of segments is too long. Browsers without Media Source Extensions play the recording's
// playlists.

import { api } from "./api.js";
import { moment, time } from "./format.js";
import { segmentsBehind } from "./mediasource.js";
import { notify } from "./notices.js";
import { playsFragments } from "./presentation.js";
import { startResuming } from "./resuming.js";
import { failureText, makeStreamPlayback, missingText } from "./stream.js";
import { channels } from "./store.js";
import { makeTrackMenu } from "./trackmenu.js";
import { isFollowing } from "./words.js";

/** The distance from the live edge that counts as live, in milliseconds, unless segments are long. */
const liveWithin = 20_000;
/** The distance from the live edge that counts as live, in target durations, if segments are long. */
const targetsWithin = 5;
/** The maximum length of a stream, in milliseconds. */
const maximumLength = 48 * 3600_000;
/** The length of a stream before the requested time, and after it if it isn't near the end, in milliseconds. */
const margins = { before: 3600_000, after: 24 * 3600_000 };
/** The time after a stall in which playback returns to the live edge, in milliseconds. */
const returnWithin = 60_000;
const awaitsStream = "Waiting for the stream to resume.";

/**
 * Starts the playback of a channel. Times are in milliseconds since 1970.
 *
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {string} options.base the prefix of the channel's URLs
 * @param {() => Object} options.record returns the channel's record
 * @param {AbortSignal} options.signal stops it when aborted
 */
export function startChannelPlayback({ player, base, record, signal }) {
  const { video } = player;
  const isRecorded = () => isFollowing(record() ?? {});
  /** Whether playback should stay at the live edge. */
  let isLive = false;
  /** The requested time until the position is known. */
  let requestedTime = null;
  /** The time at which playback has ended, until more is recorded or played; null otherwise. */
  let awaited = null;
  /** The start or the end of the last stall. */
  let stalledAt = -Infinity;
  let turn = 0;
  let jumped = () => {};

  const position = () => (isLive ? "at the live edge" : `at ${moment(now())}`);
  const source = playsFragments
    ? makeFragmentSource({ player, base, position, isOver: () => !isRecorded(), signal })
    : makePlaylistSource({ player, base, signal });
  const now = () => (requestedTime ?? source.now() ?? record()?.edge ?? Date.now());
  const isNearEdge = () => endOf(record()) - now() < Math.max(liveWithin, targetsWithin * source.targetDuration() * 1000);

  const resuming = startResuming({ player, signal, position, resume: () => resume() });
  player.reload = () => resume();

  /** Resumes playback after an error of the browser, which gives up on the source. */
  async function resume() {
    const [at, wasLive, own] = [now(), isLive, turn];
    try {
      channels.put(await api.channel(record().name));
    } catch (error) {
      return failed(error, own, at);
    }
    if (own === turn) await play(wasLive && isRecorded() ? null : at, true);
  }

  function failed(error, own, at) {
    if (own !== turn || signal.aborted || error.name === "AbortError" || resuming.interrupted()) return;
    player.fail(failureText(error), () => playFrom(at));
  }

  function playFrom(requested) {
    const channel = record();
    if (!channel?.recordedRanges.length) return notify("Nothing recorded yet.");
    resuming.begin();
    const edge = endOf(channel);
    // A step back from the live edge isn't a request for it, although playback is some segments behind it.
    if (requested > liveTime(channel, source.targetDuration()) - 1000 && isRecorded()) return play(null);
    const at = nearest(channel.recordedRanges, Math.min(requested, edge - 1000));
    const gap = gapBefore(channel.recordedRanges, at);
    if (gap && requested >= gap.from - 1000 && requested < at - 1000) {
      notify(`${missingText((gap.to - gap.from) / 1000)} (${time(gap.from)}–${time(gap.to)}).`);
    } else if (Number.isFinite(requested) && Math.abs(at - requested) > 60_000) {
      notify(`Nothing is recorded at that time. Playing from ${moment(at)}.`);
    }
    return play(at);
  }

  /** Plays from a recorded time, or from the live edge if it is null. */
  async function play(at, isResuming = false) {
    const own = (turn += 1);
    const channel = record();
    isLive = at === null;
    awaited = null;
    stalledAt = -Infinity;
    if (!video.error && source.seek(at ?? liveTime(channel, source.targetDuration()))) {
      requestedTime = null;
      player.clear();
      video.play().catch(() => {});
      return jumped();
    }
    requestedTime = at ?? endOf(channel);
    jumped();
    try {
      await source.play(windowAround(channel, at), at, isResuming);
      if (own === turn) requestedTime = null;
      jumped();
    } catch (error) {
      failed(error, own, at ?? Infinity);
    }
  }

  video.addEventListener("ended", () => {
    awaited = source.end() ?? Math.max(now(), endOf(record()));
    continueAfterEnd();
  });
  video.addEventListener("waiting", () => {
    stalledAt = performance.now();
    showWaiting();
  });
  video.addEventListener("playing", () => {
    if (stalledAt > -Infinity) stalledAt = performance.now();
    showWaiting();
  });
  video.addEventListener("pause", () => { if (!video.ended && !video.error) isLive = false; });
  video.addEventListener("play", () => { isLive = isRecorded() && isNearEdge(); });
  video.addEventListener("timeupdate", () => {
    // After an interruption, the live edge is ahead.
    if (!isLive || video.paused || video.seeking || performance.now() - stalledAt > returnWithin) return;
    if (isRecorded() && !isNearEdge()) play(null);
  });

  let isShowingWaiting = false;
  /** Shows whether playback waits for the stream, unless an error is shown. */
  function showWaiting() {
    const isWaiting = record()?.state === "waiting" && video.readyState <= HTMLMediaElement.HAVE_CURRENT_DATA && isNearEdge();
    if (isWaiting && !source.isInterrupted() && !video.error) player.fail(awaitsStream, null);
    else if (isShowingWaiting && !isWaiting) player.clear();
    isShowingWaiting = isWaiting;
  }

  /** Continues after the end of a part of the recording, or when the recording has been resumed. */
  function continueAfterEnd() {
    const channel = record();
    if (awaited === null || !channel || endOf(channel) <= awaited + 1000) return;
    const at = awaited;
    awaited = null;
    playFrom(at);
  }

  channels.watch(() => {
    showWaiting();
    continueAfterEnd();
  }, signal);
  return {
    note: source.note, menu: source.menu, playFrom, now, onJump: (work) => { jumped = work; },
    isLive: () => isRecorded() && isNearEdge(),
    /** Plays the live edge, or the last hour of a recording that is stopped or has ended. */
    playLive: () => playFrom(isRecorded() ? Infinity : (record()?.edge ?? 0) - 3600_000),
  };
}

/** A recording as a stream in fragments. */
function makeFragmentSource({ player, base, position, isOver, signal }) {
  const playback = makeStreamPlayback({ player, position, signal, name: (stream, place) => time(stream.wallOf(place)) });
  /** The range of the attached stream. */
  let range = null;
  playback.onAttach((stream) => { player.video.dataset.windowBegin = stream.wallOf(0); });
  return {
    note: playback.note,
    menu: makeTrackMenu({ player, playback, signal }),
    isInterrupted: () => playback.isInterrupted,
    targetDuration: () => playback.stream?.targetDuration ?? 0,
    now: () => playback.stream?.wallOf(player.video.currentTime) ?? null,
    end: () => range?.to ?? null,
    /** Seeks within the attached stream. Returns false if it doesn't contain the time, or has ended before it. */
    seek(at) {
      if (!playback.stream || playback.stream.hasEnded || at < range.from || at >= (range.to ?? Infinity)) return false;
      playback.stream.seekTo(at);
      return true;
    },
    async play(next, at, isResuming) {
      range = next;
      const end = range.to === null ? "" : `&endtime=${range.to}`;
      await playback.play(`${base}media.json?begintime=${range.from}${end}`, { wall: at, isOver, isResuming });
    },
  };
}

/** A recording as playlists, for browsers that only play HLS natively. Playback of a window begins at EXT-X-START. */
function makePlaylistSource({ player, base, signal }) {
  let begin = null;
  return {
    note: null,
    menu: makeTrackMenu({ player, playback: null, signal }),
    isInterrupted: () => false,
    targetDuration: () => 0,
    now() {
      const date = player.video.getStartDate?.().getTime();
      const zero = Number.isFinite(date) ? date : begin;
      return zero === null ? null : zero + player.video.currentTime * 1000;
    },
    end: () => null,
    seek: () => false,
    async play(_, at, isResuming) {
      begin = at;
      const src = `${base}index.m3u8${at === null ? "" : `?begintime=${Math.round(at)}`}`;
      if (isResuming) player.replay(src);
      else player.play(src);
    },
  };
}

/** Returns the end of the recorded time. The live edge may be later, after a gap. */
const endOf = (channel) => Math.min(channel?.edge ?? Infinity, channel?.recordedRanges.at(-1)?.to ?? 0);

/** Returns the time near the live edge at which playback begins. */
function liveTime(channel, targetDuration) {
  return Math.max(channel.recordedRanges.at(-1)?.from ?? 0, endOf(channel) - segmentsBehind * targetDuration * 1000);
}

/** Returns the part of a recording to attach. `to` is null if the part continues to the live edge. */
export function windowAround({ recordedRanges, edge }, at) {
  const from = recordedRanges[0]?.from ?? 0;
  const end = Math.max(edge ?? 0, recordedRanges.at(-1)?.to ?? 0);
  if (end - from <= maximumLength) return { from: Math.floor(from), to: null };
  if (at === null || end - at < margins.after) return { from: Math.floor(end - maximumLength), to: null };
  return { from: Math.floor(Math.max(from, at - margins.before)), to: Math.ceil(at + margins.after) };
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
