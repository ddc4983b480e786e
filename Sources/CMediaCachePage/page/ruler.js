// Draws the replay slider: recorded time, gaps, programmes, time marks and the playhead.

import { prepareCanvas } from "./elements.js";
import { day, isSameDay, shortTime, time } from "./format.js";
import { color } from "./theme.js";

/** The possible distances between time marks, in seconds. */
const intervals = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];
/** The width of a time mark's label, in pixels. */
const labelWidth = 64;

export function paintRuler(canvas, { recordedRanges, gaps, programmes, clip, range, at, isMoved }) {
  const { pen, width, height } = prepareCanvas(canvas);
  pen.font = `12px ${getComputedStyle(canvas).fontFamily}`;
  pen.textBaseline = "top";
  if (!Number.isFinite(range?.to - range?.from) || range.to <= range.from) return;
  const x = (moment) => ((moment - range.from) / (range.to - range.from)) * width;
  const [top, thickness] = [20, height - 42];

  pen.save();
  pen.beginPath();
  pen.roundRect(0, top, width, thickness, 6);
  pen.clip();
  pen.fillStyle = color("missing");
  pen.fillRect(0, top, width, thickness);
  bands(pen, recordedRanges, x, top, thickness, color("cached"), 1);
  // Gaps also differ in shape, for users who can't distinguish the colors.
  bands(pen, gaps, x, top, thickness, color("card"), 3);
  bands(pen, gaps, x, top + thickness / 2, thickness / 2, color("lost"), 3);
  if (clip) shade(pen, clip, x, top, thickness);
  pen.restore();

  paintProgrammes(pen, programmes, x, width);
  paintMarks(pen, range, x, width, top, thickness);
  paintHead(pen, Math.min(Math.max(x(at), 3), width - 3), top, thickness, isMoved);
}

function bands(pen, spans, x, top, height, style, least) {
  pen.fillStyle = style;
  for (const { from, to } of spans) {
    const left = x(from);
    pen.fillRect(left, top, Math.max(least, x(to) - left), height);
  }
}

function shade(pen, { from, to }, x, top, height) {
  pen.fillStyle = color("accent");
  pen.globalAlpha = 0.35;
  pen.fillRect(x(from), top, x(to) - x(from), height);
  pen.globalAlpha = 1;
  for (const edge of [x(from), x(to)]) pen.fillRect(edge - 1, top, 2, height);
}

function paintProgrammes(pen, programmes, x, width) {
  for (const { name, from, to } of programmes) {
    const [left, right] = [Math.max(0, x(from)), Math.min(width, x(to))];
    if (right <= left) continue;
    pen.fillStyle = color("accent");
    pen.beginPath();
    pen.roundRect(left, 14, Math.max(3, right - left), 4, 2);
    pen.fill();
    if (right - left < 30) continue;
    pen.save();
    pen.beginPath();
    pen.rect(left, 0, right - left, 14);
    pen.clip();
    pen.fillStyle = color("ink");
    pen.fillText(name, left + 1, 0);
    pen.restore();
  }
}

function paintMarks(pen, range, x, width, top, height) {
  const seconds = (range.to - range.from) / 1000;
  const most = Math.max(1, Math.floor(width / labelWidth));
  const interval = (intervals.find((one) => seconds / one <= most) ?? 604_800) * 1000;
  let last = range.from - 86_400_000;
  for (const at of roundTimes(range, interval)) {
    const place = x(at);
    const isNewDay = !isSameDay(at, last);
    pen.fillStyle = color("mark");
    pen.globalAlpha = 0.55;
    pen.fillRect(place, top, 1, height);
    pen.globalAlpha = 1;
    if (place > width - labelWidth / 2) continue;
    pen.fillStyle = color("soft");
    const text = interval >= 86_400_000 || isNewDay && seconds > 21_600 ? day(at) : interval < 60_000 ? time(at) : shortTime(at);
    pen.fillText(text, Math.max(0, place - 14), top + height + 5);
    last = at;
  }
  paintDays(pen, range, x, top, height);
}

/**
 * Returns the multiples of an interval, in milliseconds, that are in a range, in the browser's time zone; none if the
 * range isn't finite.
 */
export function roundTimes({ from, to }, interval) {
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const times = [];
  const first = Math.ceil((from - offset) / interval);
  if (!Number.isFinite(first) || !Number.isFinite(to)) return times;
  for (let count = first; ; count += 1) {
    // Summer time may begin or end within the range. An hour's change doesn't affect shorter intervals.
    const at = interval > 3_600_000 ? new Date(1970, 0, 1, 0, 0, 0, count * interval).getTime() : count * interval + offset;
    if (at >= to) return times;
    if (at >= from) times.push(at);
  }
}

/** Draws a line at each midnight. */
function paintDays(pen, range, x, top, height) {
  const midnight = new Date(range.from);
  midnight.setHours(24, 0, 0, 0);
  while (midnight.getTime() < range.to) {
    pen.fillStyle = color("ink");
    pen.fillRect(x(midnight.getTime()) - 1, top - 4, 2, height + 8);
    midnight.setDate(midnight.getDate() + 1);
  }
}

function paintHead(pen, place, top, height, isMoved) {
  pen.fillStyle = color("card");
  pen.fillRect(place - 3.5, top - 5, 7, height + 10);
  pen.fillStyle = color("playhead");
  pen.beginPath();
  pen.roundRect(place - 2, top - 5, 4, height + 10, 2);
  pen.fill();
  pen.beginPath();
  pen.arc(place, top - 3, isMoved ? 7 : 5, 0, 2 * Math.PI);
  pen.fill();
}
