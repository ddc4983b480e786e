// The segments of a track, read as they are needed, with their positions in the media.

import { Problem } from "./api.js";

/** The duration of the segments that a request reads from a recording, in seconds. */
const readLength = 600;
/** The maximum number of requests that read the list of a stream other than a recording. */
const maximumReads = 400;

/**
 * A segment of a track.
 *
 * @typedef {Object} Row
 * @property {number} number the media sequence number
 * @property {number} place the start in seconds; position 0 is the start of the stream when it was first read
 * @property {number} duration in seconds
 * @property {number} discontinuity segments with the same number share a clock
 * @property {boolean} isGap whether there is no media, according to the playlist or a response
 * @property {number} [date] the wall-clock time, in milliseconds since 1970
 */

export class SegmentRows {
  /**
   * @param {Object} track
   * @param {"start"|"window"|"wallClock"} axis the zero of the segments' times
   * @param {number|null} shift the difference between positions and the times on the axis; null until the first
   *   segment is known
   */
  constructor(track, axis, shift = null) {
    this.track = track;
    this.axis = axis;
    this.shift = shift;
    /** The known segments in order. Those of a recording are around the last position that was loaded. */
    this.rows = [];
    /** The start of the first segment and the end of the last one, as positions. */
    this.start = 0;
    this.end = 0;
    /** Whether segments may be added. */
    this.isLive = true;
    /** Whether no segment currently follows the last known one. */
    this.isAtEnd = false;
    this.targetDuration = 0;
  }

  get isRecording() { return this.axis === "wallClock"; }

  /** Whether the last known segment is the last one of the stream. */
  get isComplete() { return !this.isLive && this.isAtEnd; }

  /** Returns the time on the stream's axis at a position, in seconds. */
  timeOf(place) { return place - this.shift; }

  /** Returns the position of a time on the stream's axis, in seconds. */
  placeOf(time) { return time + this.shift; }

  /** Reads the first segments, or all of a stream that isn't a recording. */
  async begin() {
    let list = await this.read("");
    // A recording begins at position 0.
    if (!this.isRecording) this.shift ??= 0;
    else if (list.range) this.shift ??= -list.range.start;
    this.add(list);
    for (let reads = 1; !this.isRecording && list.isTruncated && reads < maximumReads; reads += 1) {
      list = await this.read(`after=${this.rows.at(-1).number}`);
      this.add(list);
    }
    this.isLive = list.isLive;
    this.isAtEnd = !list.isTruncated;
  }

  /** Reads the segments around a position of a recording, unless they are known. */
  async load(place) {
    const last = this.rows.at(-1);
    if (!this.isRecording || (last && place >= this.rows[0].place && place < last.place + last.duration)) return;
    const from = this.timeOf(place);
    let list = await this.read(`from=${from - 1}&to=${from + readLength}`);
    // If nothing was recorded in that range, reads the segments after it.
    if (!list.segments.some(({ start, duration }) => start + duration > from)) list = await this.read(`from=${from - 1}`);
    if (!list.segments.length) return;
    this.rows = [];
    this.add(list);
    this.isAtEnd = false;
  }

  /** Reads the segments after the last one. Returns whether there are new ones. */
  async extend() {
    const last = this.rows.at(-1);
    if (!last) {
      await this.begin();
      return this.rows.length > 0;
    }
    const count = this.rows.length;
    let list;
    if (this.isRecording) {
      const from = this.timeOf(last.place);
      list = await this.read(`from=${from}&to=${from + readLength}`);
      this.add(list);
      // The end of the range may have passed, although nothing was recorded until then, or retention may have removed
      // its segments.
      if (this.rows.length > count || (list.isLive && list.segments.length)) return this.rows.length > count;
      list = await this.read(`from=${from}`);
    } else {
      // The last segment relates the times of a live playlist to the known ones.
      list = await this.read(last.number > 0 ? `after=${last.number - 1}` : "");
    }
    this.add(list);
    this.isLive = list.isLive;
    this.isAtEnd = !list.isTruncated && (this.rows.length === count || !this.isRecording);
    return this.rows.length > count;
  }

  async read(query) {
    try {
      return await this.track.readRows(query);
    } catch (error) {
      // Nothing is recorded at that time.
      if (this.isRecording && error instanceof Problem && error.status === 404) return { isLive: true, segments: [] };
      throw error;
    }
  }

  add(list) {
    const known = this.rows.at(-1);
    this.shift = this.shiftOf(list, known);
    const { shift } = this;
    for (const { start, ...row } of list.segments) {
      if (!known || row.number > known.number) this.rows.push({ ...row, place: start + shift });
    }
    if (list.targetDuration) this.targetDuration = list.targetDuration;
    const last = this.rows.at(-1);
    if (last) this.end = Math.max(this.end, last.place + last.duration);
    // In a recording, the range is that of the requested segments.
    if (list.range && !(this.isRecording && known)) {
      this.start = list.range.start + shift;
      this.end = Math.max(this.end, list.range.end + shift);
    }
  }

  /** Returns the difference between positions and the times in a list. A live playlist's zero changes. */
  shiftOf(list, known) {
    const first = list.segments[0];
    if (this.axis !== "window" || !known || !first) return this.shift;
    const same = list.segments.find(({ number }) => number === known.number);
    // Segments that have left the playlist unread are missing.
    const lost = Math.max(0, first.number - known.number - 1) * this.targetDuration;
    return same ? known.place - same.start : known.place + known.duration + lost - first.start;
  }

  /** Returns the index of the segment at a position, or of the next one. */
  indexAt(place) {
    const index = this.rows.findIndex((row) => row.place + row.duration > place + 0.01);
    return index < 0 ? this.rows.length : index;
  }
}
