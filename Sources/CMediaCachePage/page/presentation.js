// Reads the tracks, segments and subtitles of a stream that the server offers as fragmented MP4.

import { requireOK } from "./api.js";

/** Whether the browser plays fragments (Media Source Extensions). */
export const playsFragments = typeof MediaSource !== "undefined";

/** The names of codecs in messages, by the beginning of their codec string (RFC 6381). */
const codecNames = [
  ["avc", "H.264"], ["hvc", "HEVC"], ["hev", "HEVC"], ["av01", "AV1"], ["vp09", "VP9"], ["mp4a.40", "AAC"],
  ["mp4a", "MP3"], ["mp4v", "MPEG-2 video"], ["ac-3", "AC-3"], ["ec-3", "Enhanced AC-3"], ["ac-4", "AC-4"],
  ["opus", "Opus"], ["flac", "FLAC"], ["alac", "Apple Lossless"],
];

/** Returns the URL of a stream's `media.json`, given its play URL. */
export const playedPresentation = (playURL) => playURL.replace(/\/play\/[^/]+/, "$&;fragments=media.json");

const expand = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

async function read(url, signal) {
  const response = await requireOK(await fetch(url, { cache: "no-store", signal }));
  return { value: await response.json(), base: response.url };
}

/**
 * Reads a stream's tracks.
 *
 * @param {string} url the URL of its `media.json`
 * @param {AbortSignal} signal
 * @returns {Promise<Object>} the stream; its variants have `address`, and its tracks have `readRows(query)`,
 *   `fragmentURL(number)` and `readCues(query)`
 */
export async function readPresentation(url, signal) {
  const { value: stream, base } = await read(url, signal);
  const resolve = (template, values) => new URL(expand(template, values), base).href;
  for (const variant of stream.variants) variant.address = resolve(variant.media, {});
  for (const track of stream.tracks) {
    // Of the audio renditions with a playlist of their own, only the codec of the one that plays first is known. The
    // others usually have the same codec.
    if (!track.codec) track.type = stream.tracks.find(({ kind, codec }) => kind === track.kind && codec)?.type ?? track.type;
    track.readRows = async (query) => (await read(resolve(track.segments, { query }), signal)).value;
    track.fragmentURL = (number) => resolve(track.fragments, { segment: number });
    track.readCues = async (query) => (await read(resolve(track.cues, { query }), signal)).value;
  }
  return stream;
}

const nameOfCodec = (codec) =>
  codecNames.find(([start]) => codec.toLowerCase().startsWith(start))?.[1] ?? "the codec";

/** Returns the reason why the browser can't play a track, or null if it can. */
export function obstacleOf(track) {
  if (track.obstacle) return track.obstacle;
  if (MediaSource.isTypeSupported(track.type)) return null;
  return track.codec ? `this browser doesn’t support ${nameOfCodec(track.codec)} (${track.codec})` : `this browser doesn’t support ${track.type}`;
}

/** Returns whether the browser supports the codecs that the playlist declares for a variant stream. */
export const isSupported = ({ codecs }) => codecs.every((codec) => MediaSource.isTypeSupported(`video/mp4; codecs="${codec}"`));

/**
 * Returns the times of a fragment in seconds: its first presentation and the end of its last one.
 *
 * @param {ArrayBuffer} bytes initialization sections and fragments (ISO/IEC 14496-12)
 */
export function timesOf(bytes) {
  const view = new DataView(bytes);
  let timescale = 1;
  let [start, end] = [Infinity, -Infinity];
  let decoded = 0;
  const walk = (from, to) => {
    for (let at = from; at + 8 <= to;) {
      const size = view.getUint32(at) || to - at;
      const type = view.getUint32(at + 4);
      if (size < 8) return;
      const body = at + 8;
      // The boxes moov, trak, mdia, moof and traf contain the others: mdhd, tfdt and trun.
      if ([0x6d6f6f76, 0x7472616b, 0x6d646961, 0x6d6f6f66, 0x74726166].includes(type)) walk(body, Math.min(to, at + size));
      else if (type === 0x6d646864) timescale = view.getUint32(body + (view.getUint8(body) === 1 ? 20 : 12));
      else if (type === 0x74666474) {
        decoded = view.getUint8(body) === 1 ? Number(view.getBigUint64(body + 4)) : view.getUint32(body + 4);
      } else if (type === 0x7472756e) readRun(body);
      at += size;
    }
  };
  // The server writes the offset of the data, and each sample's duration, size, flags and composition offset.
  const readRun = (body) => {
    const count = view.getUint32(body + 4);
    for (let index = 0; index < count; index += 1) {
      const sample = body + 12 + index * 16;
      const duration = view.getUint32(sample);
      const shown = decoded + view.getInt32(sample + 12);
      start = Math.min(start, shown / timescale);
      end = Math.max(end, (shown + duration) / timescale);
      decoded += duration;
    }
  };
  walk(0, bytes.byteLength);
  return { start, end };
}
