// Plays a stream in fragments through Media Source Extensions, with one SourceBuffer for video and one for audio.

import { obstacleOf, readPresentation, timesOf } from "./presentation.js";

/** The duration that is buffered ahead of and kept behind the position, in seconds. */
const ahead = 30;
const behind = 30;
/** The largest difference between the end of a fragment and the start of the next that isn't a new clock, in seconds. */
const maximumStep = 1;
/** The largest difference of a fragment's position from that in the playlist, whose durations are rounded, in seconds. */
const maximumDrift = 10;
/** The distance from the end of a buffered range at which playback may stall, in seconds. */
const nearEnd = 0.5;
/** The time between reloads of the segments of a live stream, in milliseconds. */
const reloadEvery = 2000;
/** The distance from the live edge at which playback begins, in segments. */
const segmentsBehind = 3;

/**
 * Attaches a stream to a video element.
 *
 * @param {Object} options
 * @param {HTMLVideoElement} options.video
 * @param {string} options.url the URL of the stream's `media.json`
 * @param {number|null} [options.from] the first position, in seconds on the stream's axis; by default, the start, or the
 *   live edge of a live stream
 * @param {(seconds: number) => void} options.onGap called when missing media is skipped, with its duration
 * @param {(error: Error) => void} options.onError called when playback can't continue
 * @returns {Promise<{stop: () => void, origin: number, stream: Object}>} `origin` is the time on the stream's axis that
 *   is at position 0
 */
export async function attachStream({ video, url, from = null, onGap, onError }) {
  const ending = new AbortController();
  const { signal } = ending;
  const stream = await readPresentation(url, signal);
  const choose = (kind) => stream.tracks.filter((track) => track.kind === kind)
    .sort((one, other) => other.isDefault - one.isDefault);
  const [videos, audios] = [choose("video"), choose("audio")];
  const playable = (tracks) => tracks.find((track) => !obstacleOf(track));
  const chosen = [playable(videos), playable(audios)].filter(Boolean);
  const obstacles = [videos, audios].filter((tracks) => tracks.length && !playable(tracks))
    .map((tracks) => obstacleOf(tracks[0]));
  if (!chosen.length) throw new Error(obstacles.join("; ") || "the stream has no audio and no video");

  const source = new MediaSource();
  const objectURL = URL.createObjectURL(source);
  const opened = new Promise((resolve) => source.addEventListener("sourceopen", resolve, { once: true }));
  video.src = objectURL;
  await opened;
  URL.revokeObjectURL(objectURL);

  /** The amount added to the times of fragments, by discontinuity number: that of the main track. */
  const offsets = new Map();
  const feeders = chosen.map((track) => ({
    track, rows: [], next: 0, isBusy: false, isOver: false, end: null, buffer: source.addSourceBuffer(track.type),
  }));
  const [main] = feeders;
  let origin = 0;

  for (const feeder of feeders) {
    const list = await feeder.track.rows();
    feeder.rows = list.segments;
    feeder.isOver = !list.isLive;
  }
  origin = main.rows[0]?.start ?? 0;
  const placeOf = (row) => row.start - origin;
  const edge = main.rows.at(-Math.min(segmentsBehind, main.rows.length));
  if (main.isOver) source.duration = placeOf(main.rows.at(-1)) + main.rows.at(-1).duration;
  if (from !== null) video.currentTime = Math.max(0, from - origin);
  else if (!main.isOver) video.currentTime = placeOf(edge);
  for (const feeder of feeders) seek(feeder);

  function seek(feeder) {
    const at = video.currentTime;
    const index = feeder.rows.findLastIndex((row) => placeOf(row) <= at + 0.01);
    feeder.next = Math.max(0, index);
    feeder.end = null;
  }

  /** Returns the end of the buffered range at a position, or null if the position isn't buffered. */
  function bufferedEnd(buffer, at) {
    for (let index = 0; index < buffer.buffered.length; index += 1) {
      if (buffer.buffered.start(index) <= at + 0.25 && buffer.buffered.end(index) > at) return buffer.buffered.end(index);
    }
    return null;
  }

  const settled = (buffer) => new Promise((resolve, reject) => {
    buffer.addEventListener("updateend", resolve, { once: true });
    buffer.addEventListener("error", () => reject(new Error("the browser can’t decode a segment")), { once: true });
  });

  async function feed(feeder) {
    const { buffer, track } = feeder;
    if (feeder.isBusy || signal.aborted || buffer.updating) return;
    const row = feeder.rows[feeder.next];
    if (!row) return finish();
    if (placeOf(row) > video.currentTime + ahead) return;
    // The main track determines the position of a clock.
    if (feeder !== main && !offsets.has(row.discontinuity) && main.rows.some((other) => other.discontinuity === row.discontinuity)) return;
    feeder.isBusy = true;
    try {
      if (row.isGap) skip(feeder, row);
      else await append(feeder, row, track, buffer);
      if (feeder.rows[feeder.next] === row) feeder.next += 1;
      await evict(buffer);
    } catch (error) {
      if (!signal.aborted) onError(error);
    } finally {
      feeder.isBusy = false;
    }
    if (!signal.aborted) tick();
  }

  function skip(feeder, row) { if (feeder.end !== null) feeder.end += row.duration; }

  async function append(feeder, row, track, buffer) {
    const response = await fetch(track.fragment(row.number), { signal });
    if (response.status === 404) {
      row.isGap = true;
      return skip(feeder, row);
    }
    if (!response.ok) throw new Error(`the server responded with ${response.status}`);
    const type = response.headers.get("Content-Type");
    const bytes = await response.arrayBuffer();
    const times = timesOf(bytes);
    const known = offsets.get(row.discontinuity);
    // Without an announcement, a clock may also restart, or wrap after 26.5 hours.
    const isNew = known === undefined || (feeder.end !== null
      ? Math.abs(times.start - feeder.end) > maximumStep
      : Math.abs(times.start + known - placeOf(row)) > maximumDrift);
    if (feeder === main && isNew) offsets.set(row.discontinuity, placeOf(row) - times.start);
    feeder.end = times.end;
    if (type !== feeder.track.type && MediaSource.isTypeSupported(type)) buffer.changeType?.(type);
    buffer.timestampOffset = offsets.get(row.discontinuity) ?? placeOf(row) - times.start;
    buffer.appendBuffer(bytes);
    await settled(buffer);
  }

  async function evict(buffer) {
    const until = video.currentTime - behind;
    if (!buffer.buffered.length || buffer.buffered.start(0) >= until - 5) return;
    buffer.remove(0, until);
    await settled(buffer);
  }

  function finish() {
    const isDone = feeders.every((feeder) => feeder.isOver && !feeder.rows[feeder.next] && !feeder.isBusy && !feeder.buffer.updating);
    if (isDone && source.readyState === "open") source.endOfStream();
  }

  /** Skips missing media when playback has stalled before it. */
  function jump() {
    if (video.readyState > HTMLMediaElement.HAVE_CURRENT_DATA) return;
    const at = video.currentTime;
    const { buffered } = video;
    let end = at;
    for (let index = 0; index < buffered.length; index += 1) {
      const start = buffered.start(index);
      if (start <= at + 0.01) {
        end = Math.max(end, buffered.end(index));
        if (end - at > nearEnd) return;
        continue;
      }
      const isShort = start - end < maximumStep;
      if (!isShort && !isMissing(end, start)) return;
      video.currentTime = start + 0.01;
      if (!isShort) onGap(start - end);
      return;
    }
  }

  /** Returns whether all segments of the main track between two positions are gaps. */
  function isMissing(from, to) {
    return main.rows.every((row) => row.isGap || placeOf(row) + row.duration < from + nearEnd || placeOf(row) > to - nearEnd);
  }

  function tick() {
    if (signal.aborted) return;
    for (const feeder of feeders) feed(feeder);
    jump();
  }

  async function reload() {
    for (const feeder of feeders) {
      if (feeder.isOver) continue;
      const last = feeder.rows.at(-1)?.number ?? -1;
      try {
        const list = await feeder.track.rows(`after=${last}`);
        feeder.rows.push(...list.segments);
        feeder.isOver = !list.isLive;
      } catch (error) {
        if (signal.aborted) return;
      }
    }
    tick();
  }

  video.addEventListener("seeking", () => {
    if (bufferedEnd(main.buffer, video.currentTime) === null) for (const feeder of feeders) seek(feeder);
    tick();
  }, { signal });
  video.addEventListener("timeupdate", tick, { signal });
  video.addEventListener("waiting", tick, { signal });
  const timer = setInterval(() => (feeders.every(({ isOver }) => isOver) ? tick() : reload()), reloadEvery);
  signal.addEventListener("abort", () => clearInterval(timer));
  tick();
  return { stop: () => ending.abort(), origin, stream, obstacles };
}
