// Plays a stream in fragments through Media Source Extensions, with one SourceBuffer for video and one for audio.
//
// Position 0 is the start of the stream when it is attached. The first video segment after a seek begins at its place
// in the playlist, and determines the positions of all segments with the same clock, video and audio.

import { nearEnd, TrackFeeder } from "./feeder.js";
import { isSupported, obstacleOf, readPresentation } from "./presentation.js";
import { SegmentRows } from "./rows.js";

/** The durations that are buffered ahead of the position, and retained behind it, in seconds. */
const maximumAhead = 30;
const maximumBehind = 30;
/** The largest step of the times between two fragments that isn't a new clock, in seconds. */
const maximumStep = 1;
/**
 * The distance between the end of a clock and the place of the next segment, in seconds, up to which a new clock begins
 * at that end.
 */
const seamless = 0.5;
/** The largest difference of a fragment's position from that in the playlist, whose durations are rounded, in seconds. */
const maximumDrift = 10;
/** The period of the clocks of transport streams, in seconds. Within one clock, the times restart at 0 after it. */
const period = 2 ** 33 / 90_000;
/** The smallest missing duration that is reported, in seconds. */
const minimumGap = 1;
/** The distance from the live edge at which playback begins, in segments. */
export const segmentsBehind = 3;
/** The time after which a seek to a buffered position begins again, in milliseconds. */
const maximumSeek = 3000;
/** The interval at which the state is checked, in milliseconds. */
const checkEvery = 500;

/** Returns the amount to add to the times of a clock. One of them, `start`, is expected near the position `place`. */
export const aligned = (offset, start, place) => offset + Math.round((place - start - offset) / period) * period;

/**
 * Attaches a stream to a player.
 *
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {string} options.url the URL of the stream's `media.json`
 * @param {number|null} [options.from] the first position in seconds, or null
 * @param {number|null} [options.wall] the first wall-clock time in milliseconds since 1970, or null. Without both,
 *   playback begins at the start, or near the live edge of a live stream.
 * @param {(src: string, from: number) => void} options.open sets the source of the video
 * @param {string|null} [options.audio] the key of the preferred audio track (`keyOfTrack`)
 * @param {() => boolean} [options.isOver] returns whether no segments will be added to a live stream for now
 * @param {Set<string>} [options.damaged] the segments that the browser can't decode, which are skipped
 * @param {(from: number, to: number) => void} options.onGap called when missing media is skipped, with positions
 * @param {(trouble: {error: Error, isOver: boolean}|null) => void} options.onTrouble called when playback is
 *   interrupted by an error, and with null when it continues
 * @param {(error: Error) => void} options.onError called when playback can't continue
 * @param {AbortSignal} options.signal detaches the stream when aborted
 * @returns {Promise<AttachedStream>}
 */
export async function attachStream(options) {
  const { signal } = options;
  const { presentation, video, audio, obstacles } = await choose(options.url, options.audio ?? null, signal);
  const [main, ...others] = [video, audio].filter(Boolean);
  const rows = new SegmentRows(main, presentation.axis);
  await rows.begin();
  const lists = [rows, ...others.map((track) => new SegmentRows(track, presentation.axis, rows.shift))];
  await Promise.all(lists.slice(1).map((list) => list.begin()));
  const stream = new AttachedStream(options, presentation, obstacles, lists);
  const start = await stream.startOf(options.from ?? null, options.wall ?? null);
  signal.throwIfAborted();
  await stream.open(start);
  stream.start(start);
  return stream;
}

/** Reads a stream and selects its tracks, from another variant stream if the browser doesn't support the best one. */
async function choose(url, audio, signal) {
  let presentation = await readPresentation(url, signal);
  const best = selection(presentation, audio);
  if (best.video || !presentation.variants.length) return require(best);
  const others = presentation.variants
    .filter((variant, index) => index !== presentation.variant && variant.codecs.length && isSupported(variant))
    .sort((one, other) => other.bandwidth - one.bandwidth);
  if (!others.length) return require(best);
  presentation = await readPresentation(others[0].address, signal);
  const other = selection(presentation, audio);
  return require(other.video ? other : best);
}

/** Returns a key that identifies a track in all variant streams. */
export const keyOfTrack = ({ kind, language, name }) => `${kind} ${language ?? ""} ${name ?? ""}`;

function require(selected) {
  if (!selected.video && !selected.audio) {
    throw new Error(selected.obstacles.map(({ reason }) => reason).join("; ") || "the stream has no audio and no video");
  }
  return selected;
}

/** Returns the first playable video and audio tracks, and the obstacles of the kinds that have none. */
function selection(presentation, audio) {
  const rank = (track) => (keyOfTrack(track) === audio ? 2 : track.isDefault ? 1 : 0);
  const found = { presentation, obstacles: [] };
  for (const kind of ["video", "audio"]) {
    const tracks = presentation.tracks.filter((track) => track.kind === kind)
      .sort((one, other) => rank(other) - rank(one));
    found[kind] = tracks.find((track) => !obstacleOf(track));
    if (tracks.length && !found[kind]) found.obstacles.push({ kind, reason: obstacleOf(tracks[0]) });
  }
  return found;
}

class AttachedStream {
  constructor(options, presentation, obstacles, lists) {
    Object.assign(this, {
      presentation, obstacles, lists, player: options.player, video: options.player.video, signal: options.signal,
      openSource: options.open, isOver: options.isOver ?? (() => false), damaged: options.damaged ?? new Set(),
      onGap: options.onGap, onTrouble: options.onTrouble, onError: options.onError,
    });
    this.source = new MediaSource();
    /** The durations that are buffered, in seconds. They are reduced if they exceed the browser's quota. */
    this.ahead = maximumAhead;
    this.behind = maximumBehind;
    /** The amounts added to the times of fragments, by discontinuity number. */
    this.offsets = new Map();
    /** The feeders of the tracks: video and audio. */
    this.feeders = [];
    /** The position of the last seek, and when it began. */
    this.sought = null;
    this.soughtAt = 0;
    /** The end of the range in which a live stream can be seeked. */
    this.seekableEnd = 0;
  }

  /** The video track's feeder, or the audio track's if there is no video. */
  get main() { return this.feeders[0]; }

  get position() { return this.video.currentTime; }
  get rows() { return this.main?.rows ?? this.lists[0]; }
  get targetDuration() { return this.rows.targetDuration; }

  /** Whether the stream was ended for now, although segments may be added. */
  get hasEnded() { return this.source.readyState === "ended" && this.rows.isLive; }

  async startOf(from, wall) {
    if (wall !== null) return Math.max(0, this.rows.placeOf(wall / 1000));
    if (from !== null) return from;
    if (!this.rows.isLive || this.isOver()) return 0;
    const { rows } = this;
    await rows.load(rows.end - 1);
    const edge = Math.max(0, rows.rows.length - segmentsBehind);
    const row = rows.rows.find(({ isGap }, index) => index >= edge && !isGap) ?? rows.rows[edge];
    return row?.place ?? 0;
  }

  async open(start) {
    const { source } = this;
    const address = URL.createObjectURL(source);
    const { promise, resolve, reject } = Promise.withResolvers();
    source.addEventListener("sourceopen", resolve, { once: true });
    this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
    this.openSource(address, this.rows.isLive ? 0 : start);
    await promise.finally(() => URL.revokeObjectURL(address));
  }

  start(start) {
    const { video, source, signal, lists } = this;
    this.feeders = lists.map((rows) => new TrackFeeder(this, rows.track, rows));
    source.duration = lists.every(({ isLive }) => !isLive) ? Math.max(...lists.map(({ end }) => end)) : Infinity;
    this.seek(start);
    for (const feeder of this.feeders) feeder.seek(start);
    video.addEventListener("seeking", () => {
      this.follow();
      this.check();
    }, { signal });
    for (const event of ["timeupdate", "waiting"]) video.addEventListener(event, () => this.check(), { signal });
    const timer = setInterval(() => this.check(), checkEvery);
    signal.addEventListener("abort", () => clearInterval(timer));
    this.check();
  }

  /** Sets the position in seconds, which may be outside the buffered ranges. */
  seek(place) {
    this.showRange(place + 1);
    this.player.seek(place);
    // Without metadata, there is no event.
    if (this.video.readyState === 0) for (const feeder of this.feeders) feeder.moveTo(place);
  }

  seekTo(wall) { this.seek(Math.max(0, this.placeOf(wall))); }

  /** Sets the range in which a live stream can be seeked. Without it, browsers only accept buffered positions. */
  showRange(end = 0) {
    const { source } = this;
    this.seekableEnd = Math.max(this.seekableEnd, this.rows.end, end);
    if (source.readyState !== "open" || this.feeders.some(({ buffer }) => buffer.updating)) return;
    // Segments were added after the end.
    if (source.duration !== Infinity && this.rows.isLive) source.duration = Infinity;
    if (source.duration === Infinity) source.setLiveSeekableRange?.(0, this.seekableEnd);
  }

  /** Returns the wall-clock time of a position of a recording, in milliseconds since 1970. */
  wallOf(place) {
    const found = this.main?.placed.find(({ row, start, end }) => row.date !== undefined && place >= start && place < end);
    return found ? found.row.date + (place - found.start) * 1000 : this.rows.timeOf(place) * 1000;
  }

  /** Returns the position of a wall-clock time. */
  placeOf(wall) {
    const found = this.main?.placed.find(({ row, start, end }) => wall >= row.date && wall < row.date + (end - start) * 1000);
    return found ? found.start + (wall - found.row.date) / 1000 : this.rows.placeOf(wall / 1000);
  }

  began(feeder) {
    // Positions in the playlist are more exact than those that result from earlier segments.
    if (feeder === this.main) this.offsets.clear();
  }

  advanced(feeder) {
    if (feeder === this.main) for (const other of this.feeders.slice(1)) other.work();
  }

  /** Returns whether a segment's position can't be determined yet, because it depends on the main track. */
  isAwaitingClock(feeder, row) {
    const { main } = this;
    if (feeder === main) return false;
    return main.target !== null || (!this.offsets.has(row.discontinuity) && main.position < row.place + row.duration);
  }

  /** Returns the amount to add to the times of a fragment, which begins at `start`. */
  offsetOf(feeder, row, start) {
    const last = this.offsets.get(row.discontinuity);
    const known = last === undefined ? null : aligned(last, start, row.place);
    if (feeder !== this.main) return known ?? row.place - start;
    if (known !== null && feeder.end !== null) {
      const place = start + known;
      // A clock may also restart without an announcement.
      if (Math.abs(place - feeder.end) <= maximumStep && Math.abs(place - row.place) <= maximumDrift) return known;
    }
    const isSeamless = feeder.end !== null && Math.abs(row.place - feeder.end) < seamless;
    const offset = (isSeamless ? feeder.end : row.place) - start;
    this.offsets.set(row.discontinuity, offset);
    return offset;
  }

  /** Appends from the position of the video on. */
  follow() {
    this.sought = this.position;
    this.soughtAt = performance.now();
    for (const feeder of this.feeders) feeder.moveTo(this.sought);
  }

  check() {
    // After an error, the video accepts no segments until its source is set again.
    if (this.signal.aborted || this.video.error || this.source.readyState === "closed") return;
    // Other events may precede the event for a seek.
    if (this.video.seeking && this.sought !== this.position) this.follow();
    for (const feeder of this.feeders) feeder.work();
    this.jump();
    this.showRange();
    this.finish();
    this.report();
  }

  /** Skips missing media when playback has stalled before it. */
  jump() {
    const { video } = this;
    if (video.readyState > HTMLMediaElement.HAVE_CURRENT_DATA || video.ended) return;
    const at = this.position;
    const places = this.feeders.map((feeder) => feeder.nextMedia(at));
    if (places.includes(null)) return;
    const to = Math.max(...places);
    // WebKit ends a seek only at a buffered position. During playback, browsers play over short gaps.
    const least = video.readyState <= HTMLMediaElement.HAVE_METADATA ? 0.000_1 : 0.1;
    if (to <= at + least && video.seeking && performance.now() - this.soughtAt > maximumSeek) {
      // WebKit may not end a seek that began before the pictures there were available.
      this.soughtAt = performance.now();
      return this.seek(at + 0.01);
    }
    if (to <= at + least || to === Infinity) return;
    this.seek(to + 0.01);
    const from = this.gapStart(at, to);
    if (to - from >= minimumGap) this.onGap(from, to);
  }

  /** Returns the start of the gap that ends at a position, which may be before the current position. */
  gapStart(at, to) {
    const { rows } = this.rows;
    let from = at;
    for (let index = rows.findIndex(({ place }) => place >= to - nearEnd) - 1; index >= 0 && rows[index].isGap; index -= 1) {
      from = rows[index].place;
    }
    return from;
  }

  finish() {
    const isDone = this.feeders.every(({ isFinished, buffer }) => isFinished && !buffer.updating);
    if (isDone && this.source.readyState === "open") this.source.endOfStream();
  }

  /** Reports an interruption once playback has stalled, and its end. */
  report() {
    const trouble = this.feeders.find((feeder) => feeder.trouble)?.trouble ?? null;
    if (!trouble) this.onTrouble(null);
    else if (this.video.readyState <= HTMLMediaElement.HAVE_CURRENT_DATA) this.onTrouble(trouble);
  }

  fail(error) {
    // The video reports that it can't decode a segment.
    if (!this.signal.aborted && !this.video.error && this.source.readyState !== "closed") this.onError(error);
  }

  /** Makes the next attempt after an interruption now. */
  retry() { for (const feeder of this.feeders) feeder.retry(); }

  tracks(kind) { return this.presentation.tracks.filter((track) => track.kind === kind && (kind === "text" || !obstacleOf(track))); }

  /** Returns the current track of a kind. */
  current(kind) { return this.feeders.find(({ track }) => track.kind === kind)?.track; }

  /** Selects an audio track. */
  async selectAudio(track) {
    const feeder = this.feeders.find((one) => one.track.kind === "audio");
    const rows = new SegmentRows(track, this.presentation.axis, this.rows.shift);
    await rows.begin();
    feeder?.select(track, rows);
  }
}
