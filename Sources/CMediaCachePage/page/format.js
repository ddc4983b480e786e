// Numbers and times as people read them.

const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/** A number of bytes: "3.4 MB". */
export function bytes(count) {
  if (count === null || count === undefined) return "unknown";
  let [value, unit] = [Number(count), 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Bytes a second: "1.2 MB/s". */
export const rate = (count) => `${bytes(count)}/s`;

/** Bits a second: "5.0 Mbit/s". */
export function bitrate(bits) {
  return bits >= 1e6 ? `${(bits / 1e6).toFixed(1)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`;
}

/** A share from 0 to 1, never rounded up to all of it: "99 %". */
export const percent = (share) => `${share >= 1 ? 100 : Math.max(0, Math.floor(share * 100))} %`;

const two = (number) => String(number).padStart(2, "0");

/** A duration in seconds as players show it: "1:02:03", "2:03". */
export function clock(seconds) {
  if (!Number.isFinite(seconds)) return "";
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A number with its noun: "1 gap", "2 gaps". */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Words as a sentence lists them: "one, two and three". */
export const inList = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");

/** A duration in seconds in words, in its two greatest units: "2 hours 5 minutes". */
export function words(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(whole / 86400), "day"], [Math.floor(whole / 3600) % 24, "hour"],
    [Math.floor(whole / 60) % 60, "minute"], [whole % 60, "second"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0 seconds";
  return parts.slice(first, first + 2).filter(([count]) => count > 0).map(([count, unit]) => counted(count, unit)).join(" ");
}

const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hourAndMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

/** A moment's time of day: "20:15:00". */
export const time = (moment) => timeOfDay.format(moment);

/** The same without seconds: "20:15". */
export const shortTime = (moment) => hourAndMinute.format(moment);

/** A moment's day: "Sat 31 Jan". */
export const day = (moment) => dayName.format(moment).replace(",", "");

/** Whether two moments lie on the same day, here. */
export const isSameDay = (one, other) => new Date(one).toDateString() === new Date(other).toDateString();

/** A moment with its day, unless that is today: "Sat 31 Jan, 20:15:00". */
export const moment = (at) => (isSameDay(at, Date.now()) ? time(at) : `${day(at)}, ${time(at)}`);

/** How long ago a moment is: "3 minutes ago". */
export function ago(at) {
  const seconds = (Date.now() - at) / 1000;
  if (seconds < 60) return "just now";
  const [count, unit] = seconds < 3600 ? [seconds / 60, "minute"] : seconds < 86400 ? [seconds / 3600, "hour"] : [seconds / 86400, "day"];
  return `${counted(Math.floor(count), unit)} ago`;
}

/** A moment as fields of the type `datetime-local` have it, in seconds and the time of here. */
export function fieldTime(at) {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const languages = (() => {
  try { return new Intl.DisplayNames(["en"], { type: "language" }); } catch { return null; }
})();

/** A language tag's name: "German". */
export function language(tag) {
  try { return languages?.of(tag) ?? tag; } catch { return tag; }
}

/** A URL's host. */
export function hostOf(url) {
  try { return new URL(url).host; } catch { return "its origin"; }
}

/** The last part of a URL's path, as it was written by its origin. */
export function nameOf(url) {
  try {
    const { pathname, hostname } = new URL(url);
    const last = decodeURIComponent(pathname.split("/").filter(Boolean).pop() ?? "");
    return last || hostname;
  } catch {
    return url;
  }
}

/** What every other playlist is called says nothing. */
const common = /^(index|master|playlist|manifest|main|stream|live|hls|video|prog_index|chunklist)$/i;

/** What to call something that has no title: its file's name, or its folder's, or its host's. */
export function titleFrom(url) {
  try {
    const { pathname, hostname } = new URL(url);
    const parts = pathname.split("/").filter(Boolean).map(decodeURIComponent);
    const stem = (parts.pop() ?? "").replace(/\.[A-Za-z0-9]{1,5}$/, "");
    return (common.test(stem) || !stem ? parts.pop() : stem) || hostname;
  } catch {
    return url;
  }
}

/** A name for a saved file, without what file systems mind. */
export const fileName = (title) => title.replace(/[\\/:*?"<>|\u0000-\u001f]+/g, " ").trim().slice(0, 120) || "film";
