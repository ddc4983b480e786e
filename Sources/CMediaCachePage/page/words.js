// States in words.

import { bytes, clock, counted, percent, rate, shortTime, titleFrom, words } from "./format.js";
import { sentence } from "./api.js";

/** What to call an asset or a download. */
export const titleOf = (record) => record.title || titleFrom(record.url);

/** What to call a variant stream: "1080p", "720p60". */
export const nameOfVariant = ({ height, frameRate }) => height ? `${height}p${frameRate > 30 ? Math.round(frameRate) : ""}` : "Sound";

/** How much of something is here, from 0 to 1; null where nobody knows. */
export function shareOf({ state, bytes: here, length, partsDone, parts }) {
  if (state === "complete") return 1;
  if (length > 0) return Math.min(1, (here ?? 0) / length);
  if (parts > 0) return partsDone / parts;
  return null;
}

/** An asset's size: "12 MB", "3.0 of 12 MB", "about 12 MB". */
export function sizeOf({ state, bytes: here, length, lengthKnown }) {
  if (state === "complete" || here === length) return here === undefined ? "" : bytes(here);
  const whole = length ? `${lengthKnown ? "" : "about "}${bytes(length)}` : null;
  if (here === undefined) return whole ?? "";
  return whole ? `${bytes(here)} of ${whole}` : bytes(here);
}

/** Where an asset stands, in a word or two. */
export function stateOf(record) {
  const share = shareOf(record);
  switch (record.state) {
    case "complete": return "Complete";
    case "completeWithHoles": return `Here but for ${counted(record.holeCount, "part")}`;
    case "failed": return "Failed";
    case "paused": return share === null ? "Paused" : `Paused at ${percent(share)}`;
    case "waiting": return "Waiting";
    case "queued": return "Waits for its turn";
    case "running": return share === null ? "Downloading" : `Downloading, ${percent(share)}`;
    default:
      if (record.holeCount) return `Recorded, ${counted(record.holeCount, "part")} lost`;
      if (record.kind === "file" && record.length && record.bytes >= record.length) return "All of it is kept";
      return record.bytes ? "Kept as far as it was played" : "Kept";
  }
}

/** Seconds until a download is complete; null where nobody can tell. */
export function timeLeft({ state, bytes: here, length, rate: speed }) {
  if (state !== "running" || !length || !(speed > 0) || here > length) return null;
  return (length - here) / speed;
}

/** What a download does at this moment, in a line. */
export function progressOf(record) {
  if (record.state === "waiting" || record.state === "failed") {
    const reason = record.reason ? sentence(record.reason.message) : record.state === "failed" ? "It failed." : "It waits.";
    const until = record.reason?.until ? ` It tries again at ${shortTime(new Date(record.reason.until))}.` : "";
    return `${record.state === "failed" ? "Failed: " : "Waiting: "}${reason}${until}`;
  }
  const parts = [stateOf(record), sizeOf(record)];
  if (record.state === "running") {
    if (record.rate > 0) parts.push(rate(record.rate));
    const left = timeLeft(record);
    if (left !== null) parts.push(`${words(left)} left`);
    if (record.secondsReady > 0 && record.kind === "stream") parts.push(`plays up to ${clock(record.secondsReady)}`);
  }
  return parts.filter(Boolean).join(" · ");
}

/** What a channel does. */
export function channelState({ state, reason }) {
  switch (state) {
    case "recording": return "Recording";
    case "starting": return "Starting";
    case "waiting": return reason ? `Waiting: ${sentence(reason)}` : "Waiting for its stream";
    case "stopped": return "Stopped";
    default: return "Ended";
  }
}

/** How much of a channel is kept. */
export function channelSums({ kept, bytes: size, gaps, gapSeconds, rate: speed, state }) {
  const seconds = kept.reduce((sum, { from, to }) => sum + (to - from) / 1000, 0);
  const parts = [seconds ? `${words(seconds)} kept` : "Nothing is kept yet", bytes(size)];
  if (gaps) parts.push(`${counted(gaps, "gap")}, ${words(gapSeconds)} lost`);
  if (state === "recording" && speed > 0) parts.push(rate(speed));
  return parts.join(" · ");
}

/** Limits of a channel. */
export function limitsOf({ seconds, bytes: size, segments, freeBytes }) {
  const parts = [];
  if (seconds) parts.push(`the last ${words(seconds)}`);
  if (size) parts.push(`at most ${bytes(size)}`);
  if (segments) parts.push(`at most ${counted(segments, "segment")} of each track`);
  if (freeBytes) parts.push(`${bytes(freeBytes)} of the disk stay free`);
  return parts.length ? `Keeps ${parts.join(", ")}` : "Keeps everything";
}
