// Appends the fragments of a track to a SourceBuffer.

import { requireOK } from "./api.js";
import { timesOf } from "./presentation.js";

/** The buffered duration that remains behind the position, in seconds, if the browser's quota is exceeded. */
const minimumBehind = 2;
/** The buffered duration that remains after the next segment to append, in seconds. */
const spare = 60;
/** An amount that exceeds the rounding of times, in seconds. Frames before position 0 would be lost. */
const rounding = 0.000_002;
/** The distance from the end of a buffered range at which playback may stall, in seconds. */
export const nearEnd = 0.5;
/** The delays before further attempts, in seconds. The last delay repeats. */
const pauses = [1, 1, 2, 4, 8, 15, 15, 15, 30];
/** The time after which attempts end, in milliseconds. */
const maximumWait = 600_000;
/** The statuses for segments that don't exist, or that the server can't convert. */
const missing = [404, 410, 422];
/** Returns whether an attempt after a pause is worthwhile. The status indicates it if the server doesn't. */
const isTemporary = ({ retryable, status }) => retryable ?? (status >= 500 || status === 408 || status === 429);

export class TrackFeeder {
  /**
   * @param {Object} stream the attached stream, as in `mediasource.js`
   * @param {Object} track
   * @param {import("./rows.js").SegmentRows} rows
   */
  constructor(stream, track, rows) {
    this.stream = stream;
    this.track = track;
    this.rows = rows;
    this.type = track.type;
    this.buffer = stream.source.addSourceBuffer(track.type);
    /** The index of the next segment. */
    this.next = 0;
    /** The position at which appending will begin; null if it has begun. */
    this.target = 0;
    /** The end of the last fragment, as a position; null if the next fragment doesn't continue it. */
    this.end = null;
    /** The appended segments with their positions, oldest first. */
    this.placed = [];
    this.isBusy = false;
    this.isFinished = false;
    /** A fragment that exceeded the browser's quota: its segment, bytes and type. */
    this.held = null;
    /** Whether the fragment exceeded the quota although it is needed now. */
    this.hasFailed = false;
    /** Whether the next segment isn't needed yet. */
    this.isWaiting = false;
    /** Whether the buffered media is that of another track. */
    this.isReplacing = false;
    /** The time of the last request for further segments. */
    this.readAt = -Infinity;
    /** Whether the segments were read after the end of the stream. */
    this.hasReadEnd = false;
    /** The interruption: its error, its start, the number of attempts, and whether they have ended. */
    this.trouble = null;
    /** The time of the next attempt. */
    this.attemptAt = 0;
    this.fetching = null;
  }

  /** The position up to which all segments are appended or missing. */
  get position() { return this.rows.rows[this.next]?.place ?? (this.isFinished ? Infinity : this.rows.end); }

  /** Begins again at a position, which isn't buffered. */
  seek(place) {
    this.target = Math.max(0, place);
    this.isFinished = false;
    this.fetching?.abort();
  }

  /** Continues at a position, with the segment after the buffered range that contains it. */
  moveTo(place) {
    if (this.isReplacing) return this.seek(place);
    const end = this.bufferedEnd(place);
    const last = this.placed.filter((one) => end !== null && one.end <= end + 0.1 && one.end > place)
      .reduce((one, other) => (one?.end > other.end ? one : other), null);
    const index = last ? this.rows.rows.findIndex(({ number }) => number === last.row.number) : -1;
    if (index < 0) return this.seek(place);
    if (index + 1 === this.next && this.target === null) return;
    this.target = null;
    this.isFinished = false;
    this.next = index + 1;
    this.end = last.end;
    this.fetching?.abort();
  }

  bufferedEnd(place) {
    const { buffered } = this.buffer;
    for (let index = 0; index < buffered.length; index += 1) {
      if (buffered.start(index) <= place + 0.1 && buffered.end(index) > place) return buffered.end(index);
    }
    return null;
  }

  /**
   * Returns the first position, starting at one where playback has stalled, at which there is or will be media:
   * Infinity if there is none, and null if that isn't known yet.
   */
  nextMedia(place) {
    const { buffered } = this.buffer;
    let found = Infinity;
    for (let index = 0; index < buffered.length && found === Infinity; index += 1) {
      if (buffered.start(index) <= place + 0.1 && buffered.end(index) > place + nearEnd) {
        return Math.max(place, buffered.start(index));
      }
      if (buffered.start(index) > place) found = buffered.start(index);
    }
    if (this.target !== null) return null;
    const row = this.rows.rows.find(({ isGap }, index) => index >= this.next && !isGap);
    if (found <= (row?.place ?? Infinity) && found < Infinity) return found;
    if (!row) return this.isFinished ? Infinity : null;
    return row.place <= place + nearEnd ? null : row.place;
  }

  /** Appends segments until there is enough ahead of the position. */
  async work() {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (!this.stream.signal.aborted && await this.step()) { /* the next step */ }
    } catch (error) {
      this.stream.fail(error);
    } finally {
      this.isBusy = false;
    }
  }

  /** Returns whether there may be another step now. */
  async step() {
    if (performance.now() < this.attemptAt) return false;
    try {
      const isMore = await this.advance();
      if (this.trouble && !this.isWaiting) this.recover();
      return isMore;
    } catch (error) {
      if (this.stream.signal.aborted) return false;
      // A seek aborts the request.
      if (error.name === "AbortError") return true;
      if (!(error instanceof TypeError) && !isTemporary(error)) throw error;
      this.interrupt(error);
      return false;
    }
  }

  async advance() {
    this.isWaiting = false;
    if (this.target !== null) {
      const { target } = this;
      await this.rows.load(target);
      // A seek to a buffered position has found its segment among those that were known before.
      if (this.target === null) this.moveTo(this.stream.position);
      if (this.target !== target) return true;
      this.target = null;
      this.next = this.rows.indexAt(target);
      this.end = null;
      // Without this, WebKit drops audio that precedes the last appended frame.
      if (this.stream.source.readyState === "open") this.buffer.abort();
      this.stream.began(this);
      const isReplacing = this.isReplacing;
      this.isReplacing = false;
      if (isReplacing) await this.remove(0, Infinity);
      await this.evict();
      if (this.target !== null) return true;
    }
    const row = this.rows.rows[this.next];
    if (!row) return this.extend();
    this.isFinished = false;
    row.isGap ||= this.stream.damaged.has(this.keyOf(row));
    this.isWaiting = row.place > this.stream.position + this.stream.ahead || this.stream.isAwaitingClock(this, row);
    if (this.isWaiting) return false;
    if (row.isGap || await this.append(row)) {
      if (!this.isNext(row)) return true;
      if (row.isGap && this.end !== null) this.end += row.duration;
      this.next += 1;
      this.stream.advanced(this);
      await this.evict();
      return true;
    }
    return false;
  }

  /** Whether a segment is still the next one. A seek or another track changes it. */
  isNext(row) { return this.target === null && this.rows.rows[this.next] === row; }

  keyOf(row) { return `${this.track.kind} ${row.number}`; }

  /** Reads the segments after the last one, at intervals. */
  async extend() {
    const now = performance.now();
    const isOver = this.stream.isOver();
    const interval = Math.min(Math.max(1, this.rows.targetDuration / 2), 6) * 1000;
    this.hasReadEnd &&= isOver;
    if (!this.rows.isComplete && !this.hasReadEnd && now - this.readAt >= interval) {
      this.readAt = now;
      if (await this.rows.extend()) return true;
      this.hasReadEnd = isOver;
    }
    this.isFinished = this.target === null && (this.rows.isComplete || this.hasReadEnd);
    return false;
  }

  /** Returns whether the segment is appended, missing, or no longer the next one. */
  async append(row) {
    const fragment = this.held?.row === row ? this.held : await this.fetch(row);
    if (!fragment || !this.isNext(row)) return true;
    const { bytes, type } = fragment;
    const times = timesOf(bytes);
    if (!(times.end > times.start)) {
      row.isGap = true;
      return true;
    }
    const offset = this.stream.offsetOf(this, row, times.start);
    if (type !== this.type && MediaSource.isTypeSupported(type)) {
      this.buffer.changeType?.(type);
      this.type = type;
    }
    this.buffer.timestampOffset = offset + rounding;
    while (!await this.hasRoom(fragment)) if (!await this.makeRoom(fragment)) return false;
    this.held = null;
    this.hasFailed = false;
    const end = times.end + offset;
    if (this.isNext(row)) this.end = end;
    this.placed = this.placed.filter((one) => one.row.number !== row.number);
    this.placed.push({ row, start: times.start + offset, end });
    return true;
  }

  async fetch(row) {
    this.fetching = new AbortController();
    const signal = AbortSignal.any([this.fetching.signal, this.stream.signal]);
    try {
      const response = await requireOK(await fetch(this.track.fragmentURL(row.number), { signal }));
      return { row, bytes: await response.arrayBuffer(), type: response.headers.get("Content-Type") };
    } catch (error) {
      if (!missing.includes(error.status) && error.code !== "notMedia") throw error;
      row.isGap = true;
      return null;
    }
  }

  /** Appends a fragment. Returns false if it exceeds the browser's quota. */
  async hasRoom({ row, bytes }) {
    try {
      await this.operate(() => this.buffer.appendBuffer(bytes));
      return true;
    } catch (error) {
      if (error.name === "QuotaExceededError") return false;
      // After an error of the video, other segments can't be appended, either.
      if (error.name !== "InvalidStateError") this.stream.damaged.add(this.keyOf(row));
      throw error;
    }
  }

  /**
   * Removes media that has been played, or media after the fragment. If there is none, less is buffered from now on,
   * and the fragment is appended later. Returns whether there is more room.
   */
  async makeRoom(fragment) {
    const { stream, buffer: { buffered } } = this;
    const { position } = stream;
    stream.behind = minimumBehind;
    if (buffered.length && buffered.start(0) < position - minimumBehind - 0.5) {
      await this.remove(0, position - minimumBehind);
      return true;
    }
    // After a seek backwards, there may be media after the fragment, which is appended again later.
    const limit = Math.max(position, fragment.row.place + fragment.row.duration) + 1;
    if (buffered.length && buffered.end(buffered.length - 1) > limit + 1) {
      await this.remove(limit, Infinity);
      return true;
    }
    this.held = fragment;
    const isNeeded = fragment.row.place <= position + nearEnd;
    if (isNeeded && this.hasFailed) throw new Error("A segment is too large for this browser’s buffer.");
    this.hasFailed = isNeeded;
    stream.ahead = Math.max(minimumBehind, Math.min(stream.ahead, fragment.row.place - position) * 0.7);
    return false;
  }

  async evict() {
    const { position, behind } = this.stream;
    const { buffered } = this.buffer;
    if (!buffered.length) return;
    if (buffered.start(0) < position - behind - 5) await this.remove(0, position - behind);
    const limit = Math.max(position, this.position) + spare;
    if (buffered.length && buffered.end(buffered.length - 1) > limit) await this.remove(limit, Infinity);
  }

  async remove(from, to) {
    if (to <= from) return;
    await this.operate(() => this.buffer.remove(from, to));
    this.placed = this.placed.filter(({ start, end }) => end <= from || start >= to);
  }

  /** Selects another track of the same kind. */
  select(track, rows) {
    this.track = track;
    this.rows = rows;
    this.held = null;
    this.isReplacing = true;
    this.seek(this.stream.position);
    this.work();
  }

  /** Runs an operation of the buffer, and waits for its end. */
  operate(begin) {
    const ending = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers();
    this.buffer.addEventListener("updateend", resolve, { signal: ending.signal });
    this.buffer.addEventListener("error", () => reject(new Error("The browser can’t decode a segment.")), { signal: ending.signal });
    try {
      begin();
    } catch (error) {
      reject(error);
    }
    return promise.finally(() => ending.abort());
  }

  interrupt(error) {
    const now = performance.now();
    this.trouble ??= { since: now, attempts: 0 };
    this.trouble.error = error;
    const isLast = now - this.trouble.since > maximumWait;
    this.attemptAt = isLast ? Infinity : now + pauses[Math.min(this.trouble.attempts, pauses.length - 1)] * 1000;
    this.trouble.attempts += 1;
    this.trouble.isOver = isLast;
    this.readAt = -Infinity;
    this.stream.report();
  }

  recover() {
    this.trouble = null;
    this.stream.report();
  }

  /** Makes the next attempt now. */
  retry() {
    this.attemptAt = 0;
    if (this.trouble) Object.assign(this.trouble, { since: performance.now(), attempts: 0 });
    this.work();
  }
}
