// Shows the subtitles of an attached stream, which are read in pieces of 30 seconds.

import { aligned } from "./mediasource.js";

/** The duration that a request reads, in seconds. */
const piece = 30;
/** The interval at which the end of a live stream is read again, in milliseconds. */
const readAgainAfter = 4000;

/** The text tracks by video. A text track that a script has added can't be removed. */
const textTracks = new WeakMap();

/**
 * Shows a subtitle track until the signal is aborted.
 *
 * @param {Object} stream the attached stream
 * @param {Object} track
 * @param {AbortSignal} signal
 */
export function startSubtitles(stream, track, signal) {
  const { video } = stream;
  if (!textTracks.has(video)) textTracks.set(video, video.addTextTrack("subtitles"));
  const shown = textTracks.get(video);
  /** The pieces that have been read, with the time of the request if more segments may be added to them. */
  const pieces = new Map();
  const known = new Set();
  shown.mode = "showing";

  const show = () => {
    const current = Math.floor(stream.position / piece);
    for (const index of [current, current + 1]) read(index);
  };

  async function read(index) {
    const now = performance.now();
    if (index < 0 || now - (pieces.get(index) ?? -Infinity) < readAgainAfter) return;
    const { rows } = stream;
    const isLast = rows.isLive && (index + 1) * piece > rows.end;
    pieces.set(index, isLast ? now : Infinity);
    const [from, to] = [index * piece, (index + 1) * piece].map((place) => Math.max(0, rows.timeOf(place)));
    if (to <= from) return;
    try {
      const list = await track.readCues(`from=${from}&to=${to}`);
      if (signal.aborted) return;
      for (const found of list.segments) if (!add(found)) pieces.set(index, now);
    } catch {
      // The piece is read again later.
      pieces.set(index, now);
    }
  }

  /** Adds the cues of a segment. Returns false if their positions aren't known yet. */
  function add({ segment, clock, cues }) {
    const place = stream.rows.placeOf(segment.start);
    const shift = shiftOf(segment, clock, place);
    if (shift === null) return cues.length === 0;
    for (const cue of cues) {
      const offset = clock === "media" ? aligned(shift, cue.start, place) : shift;
      const [start, end] = [Math.max(0, cue.start + offset), cue.end + offset];
      const key = `${start.toFixed(2)} ${cue.text}`;
      if (known.has(key) || end <= start) continue;
      known.add(key);
      shown.addCue(cueOf(start, end, cue));
    }
    return true;
  }

  function shiftOf(segment, clock, place) {
    if (clock === "media") return stream.offsets.get(segment.discontinuity) ?? null;
    // The times count from the start of the stream.
    return stream.rows.axis === "start" ? 0 : place;
  }

  video.addEventListener("timeupdate", show, { signal });
  video.addEventListener("seeked", show, { signal });
  signal.addEventListener("abort", () => {
    for (const cue of [...shown.cues ?? []]) shown.removeCue(cue);
    shown.mode = "disabled";
  });
  show();
}

/** Creates a cue. The browser parses its text as WebVTT, which can't contain scripts. */
function cueOf(start, end, { identifier, settings, text }) {
  const cue = new VTTCue(start, end, text);
  if (identifier) cue.id = identifier;
  for (const setting of (settings ?? "").split(/\s+/)) {
    const [name, value] = setting.split(":");
    try {
      if (name === "vertical") cue.vertical = value;
      else if (name === "align") cue.align = value;
      else if (name === "size") cue.size = Number.parseFloat(value);
      else if (name === "position") cue.position = Number.parseFloat(value);
      else if (name === "line") {
        cue.snapToLines = !value.includes("%");
        cue.line = Number.parseFloat(value);
      }
    } catch { /* an invalid value has no effect */ }
  }
  return cue;
}
