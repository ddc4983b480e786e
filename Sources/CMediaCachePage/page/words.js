// Descriptions of assets, downloads and channels.

import { sentence } from "./api.js";
import { bytes, clock, counted, percent, rate, shortTime, shortWords, titleFrom, words } from "./format.js";

export const titleOf = (record) => record.title || titleFrom(record.url);

/** Returns the artist and album of a song, or the series, season and episode, or an empty text. */
export function bylineOf({ artist, album, show, season, episode }) {
  if (!show) return [artist, album].filter(Boolean).join(" · ");
  const number = [season === undefined ? "" : `S${season}`, episode === undefined ? "" : `E${episode}`].join("");
  return [show, number].filter(Boolean).join(" · ");
}

/** Returns the text in which the library's search looks for words. */
export const searchTextOf = (record) => [titleOf(record), record.artist, record.albumArtist, record.album, record.show,
  record.genre, record.year, ...(record.tags ?? []), record.url].filter(Boolean).join(" ").toLowerCase();

/** Returns the fraction that has been watched, from 0 to 1; 0 for an asset of unknown duration. */
export const watchedShareOf = ({ position, duration }) => (position && duration ? Math.min(1, position / duration) : 0);

/** The codecs of audio (RFC 6381). */
const audioCodec = /^\s*(mp4a|ac-3|ec-3|ac-4|alac|flac|opus|mp3)\b/i;

/** Returns the name of a variant, for example "1080p", "720p60" or "Audio". Playlists may omit the resolution. */
export function nameOfVariant({ height, frameRate, codecs }) {
  if (height) return `${height}p${frameRate > 30 ? Math.round(frameRate) : ""}`;
  return codecs?.split(",").every((codec) => audioCodec.test(codec)) ? "Audio" : "Unknown resolution";
}

/** Returns the cached fraction, from 0 to 1, or null if it is unknown. */
export function shareOf({ state, bytes: cached, length, partsDone, parts }) {
  if (state === "complete") return 1;
  if (length > 0) return Math.min(1, (cached ?? 0) / length);
  if (parts > 0) return partsDone / parts;
  return null;
}

/** Returns whether all data of an asset is cached. */
export function isComplete({ state, isRecorded, holeCount, bytes: cached, length }) {
  if (state) return state === "complete";
  return isRecorded ? holeCount === 0 : length > 0 && cached >= length;
}

/** Formats an asset's size, for example "12 MB", "3.0 MB of 12 MB" or "about 12 MB". */
export function sizeOf({ state, bytes: cached, length, isLengthExact }) {
  if (state === "complete" || cached === length) return cached === undefined ? "" : bytes(cached);
  const total = length ? `${isLengthExact ? "" : "about "}${bytes(length)}` : null;
  if (cached === undefined) return total ?? "";
  return total ? `${bytes(cached)} of ${total}` : bytes(cached);
}

export function stateOf(record) {
  const share = shareOf(record);
  switch (record.state) {
    case "complete": return "Complete";
    case "completeWithHoles":
      // The event with the state arrives before the number.
      return record.holeCount ? `Incomplete: ${counted(record.holeCount, "segment")} missing` : "Incomplete";
    case "failed": return "Failed";
    case "paused": return share === null ? "Paused" : `Paused at ${percent(share)}`;
    case "waiting": return "Waiting";
    case "queued": return "Queued";
    case "running": return share === null ? "Downloading" : `Downloading, ${percent(share)}`;
    default:
      if (record.isRecorded) {
        return record.holeCount ? `Recorded, ${counted(record.holeCount, "segment")} missing` : "Recorded";
      }
      if (record.kind === "file" && record.length && record.bytes >= record.length) return "Fully cached";
      if (record.bytes === 0) return "Not cached yet";
      if (record.bytes) return "Partly cached";
      return "Not downloaded";
  }
}

/** Describes a state unless it's the usual one of an item. */
export const exceptionOf = (record) => (record.state === "complete" ? "" : stateOf(record));

/** Returns the remaining time of a download in seconds, or null if it is unknown. */
function timeLeft({ state, bytes: received, length, rate: speed }) {
  if (state !== "running" || !length || !(speed > 0) || received > length) return null;
  return (length - received) / speed;
}

/** Describes the progress of a download in one line. */
export function progressOf(record) {
  if (record.state === "waiting" || record.state === "failed") {
    const state = record.state === "failed" ? "Failed" : "Waiting";
    if (!record.reason) return `${state}.`;
    const until = record.reason.until ? ` Next attempt at ${shortTime(new Date(record.reason.until))}.` : "";
    return `${state}: ${sentence(record.reason.message)}${until}`;
  }
  const parts = [exceptionOf(record), sizeOf(record)];
  if (record.state === "running") {
    if (record.rate > 0) parts.push(rate(record.rate));
    const left = timeLeft(record);
    if (left !== null) parts.push(`${shortWords(left)} left`);
    if (record.secondsReady > 0 && record.kind === "stream") parts.push(`playable up to ${clock(record.secondsReady)}`);
  }
  return parts.filter(Boolean).join(" · ");
}

/** Returns whether a download has ended. A failed or incomplete one can be retried. */
export const isEnded = ({ state }) => ["complete", "completeWithHoles", "failed"].includes(state);

/** Returns whether a channel follows its stream, so that the end of its recording is the live edge. */
export const isFollowing = ({ state }) => ["recording", "starting", "waiting"].includes(state);

export function channelState({ state, reason }) {
  switch (state) {
    case "recording": return "Recording";
    case "starting": return "Starting";
    case "waiting": return reason ? `Waiting: ${sentence(reason)}` : "Waiting for the stream to resume";
    case "stopped": return "Stopped";
    default: return "Ended";
  }
}

export function channelSums({ recordedRanges, bytes: size, gaps, gapSeconds, rate: speed, state }) {
  const seconds = recordedRanges.reduce((sum, { from, to }) => sum + (to - from) / 1000, 0);
  const parts = [seconds ? `${words(seconds)} recorded` : "Nothing recorded yet", bytes(size)];
  if (gaps) parts.push(`${counted(gaps, "gap")} (${words(gapSeconds)})`);
  if (state === "recording" && speed > 0) parts.push(rate(speed));
  return parts.join(" · ");
}

export function limitsOf({ seconds, bytes: size, segments, freeBytes }) {
  const parts = [];
  if (seconds) parts.push(`up to ${words(seconds)}`);
  if (size) parts.push(`at most ${bytes(size)}`);
  if (segments) parts.push(`at most ${counted(segments, "segment")} per track`);
  if (freeBytes) parts.push(`at least ${bytes(freeBytes)} of disk space free`);
  return parts.length ? `Keeps ${parts.join(", ")}` : "Keeps everything";
}
