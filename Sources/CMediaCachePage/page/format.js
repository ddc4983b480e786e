// Formats numbers, times and names.

const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Formats a number of bytes, for example "3.4 MB"; "unknown" for null and undefined. */
export function bytes(count) {
  if (count === null || count === undefined) return "unknown";
  let [value, unit] = [Number(count), 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Formats bytes per second, for example "1.2 MB/s". */
export const rate = (count) => `${bytes(count)}/s`;

/** Formats bits per second, for example "5.0 Mbit/s". */
export function bitrate(bits) {
  return bits >= 1e6 ? `${(bits / 1e6).toFixed(1)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`;
}

/** Formats a fraction from 0 to 1, rounded down, for example "99%". */
export const percent = (share) => `${share >= 1 ? 100 : Math.max(0, Math.floor(share * 100))}%`;

const two = (number) => String(number).padStart(2, "0");

/** Formats a duration in seconds as players do, for example "1:02:03" or "2:03"; an empty string if it isn't finite. */
export function clock(seconds) {
  if (!Number.isFinite(seconds)) return "";
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Formats a number with a noun, for example "1 gap" or "2 gaps". */
export const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Joins words into a list, for example "one, two and three". */
export const inList = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");

/** Returns the one or two largest units of a duration in seconds, with their counts. */
function unitsOf(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(whole / 86400), "day"], [Math.floor(whole / 3600) % 24, "hour"],
    [Math.floor(whole / 60) % 60, "minute"], [whole % 60, "second"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return first < 0 ? [[0, "second"]] : parts.slice(first, first + 2).filter(([count]) => count > 0);
}

/** Formats a duration in seconds with its two largest units, for example "2 hours 5 minutes". */
export const words = (seconds) => unitsOf(seconds).map(([count, unit]) => counted(count, unit)).join(" ");

const shortUnits = { day: "d", hour: "h", minute: "min", second: "s" };

/** Formats a duration in seconds with unit symbols, for example "1 min 23 s". */
export const shortWords = (seconds) => unitsOf(seconds).map(([count, unit]) => `${count} ${shortUnits[unit]}`).join(" ");

const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hourAndMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

/** Formats the time of day, for example "20:15:00". */
export const time = (moment) => timeOfDay.format(moment);

/** Formats the time of day, for example "20:15". */
export const shortTime = (moment) => hourAndMinute.format(moment);

/** Formats the day, for example "Sat 31 Jan". */
export const day = (moment) => dayName.format(moment).replace(",", "");

/** Returns whether two times are on one day in the browser's time zone. */
export const isSameDay = (one, other) => new Date(one).toDateString() === new Date(other).toDateString();

/** Formats a time, with the day unless it is today, for example "Sat 31 Jan, 20:15:00". */
export const moment = (at) => (isSameDay(at, Date.now()) ? time(at) : `${day(at)}, ${time(at)}`);

/** Formats the time elapsed since a time, for example "3 minutes ago". */
export function ago(at) {
  const seconds = (Date.now() - at) / 1000;
  if (seconds < 60) return "just now";
  const [count, unit] = seconds < 3600 ? [seconds / 60, "minute"] : seconds < 86400 ? [seconds / 3600, "hour"] : [seconds / 86400, "day"];
  return `${counted(Math.floor(count), unit)} ago`;
}

/** Formats a time for a `datetime-local` field, with seconds, in the browser's time zone. */
export function fieldTime(at) {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const languages = (() => {
  try { return new Intl.DisplayNames(["en"], { type: "language" }); } catch { return null; }
})();

/** Returns the name of a language, for example "German". */
export function language(tag) {
  try { return languages?.of(tag) ?? tag; } catch { return tag; }
}

/** Returns the host of a URL, or "the origin" for an invalid one. */
export function hostOf(url) {
  try { return new URL(url).host; } catch { return "the origin"; }
}

/** Returns a URL without user name and password. */
export function withoutUser(url) {
  try {
    const address = new URL(url);
    if (!address.username && !address.password) return url;
    [address.username, address.password] = ["", ""];
    return address.href;
  } catch {
    return url;
  }
}

/** Returns the last component of a URL's path, or the host if the path is empty. */
export function nameOf(url) {
  try {
    const { pathname, hostname } = new URL(url);
    const last = decodeURIComponent(pathname.split("/").filter(Boolean).pop() ?? "");
    return last || hostname;
  } catch {
    return url;
  }
}

/** File names that are too common to be titles. */
const common = /^(index|master|playlist|manifest|main|stream|live|hls|video|prog_index|chunklist)$/i;

/** Returns a title for a URL: the name of the file without its extension, the folder or the host. */
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

/** Returns a file name of at most 120 characters for a title, without characters that file systems don't allow. */
export const fileName = (title) => title.replace(/[\\/:*?"<>|\u0000-\u001f]+/g, " ").trim().slice(0, 120) || "film";

/** Returns the folder of a URL's file, for example "example.org/films/". */
export const folderOf = (url) => address(url).replace(/[^/]*$/, "");

/** Returns a URL without scheme, query and fragment, for example "example.org/films/v.mp4". */
function address(url) {
  try {
    const { host, pathname } = new URL(url);
    return host + decodeURIComponent(pathname);
  } catch {
    return url;
  }
}

const withoutScheme = (url) => url.replace(/^\w+:\/\//, "");
const labels = [hostOf, nameOf, folderOf, address, withoutScheme];

/**
 * Returns labels that distinguish items with the same title: the first of the host, file name, folder, path and URL
 * that is unique.
 *
 * @param {{key: string, title: string, url?: string}[]} all
 * @returns {Map<string, string>} the labels by key, without items that have no URL or whose title is unique
 */
export function distinguishingLabels(all) {
  const groups = Map.groupBy(all.filter(({ url }) => url), ({ title }) => title);
  const found = new Map();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    for (const { key, url } of group) {
      const isUnique = (label) => group.filter((other) => label(other.url) === label(url)).length === 1;
      found.set(key, (labels.find(isUnique) ?? withoutScheme)(url));
    }
  }
  return found;
}

/** Returns a title with its distinguishing label, for use in accessible names. */
export const fullTitle = (title, from) => (from ? `${title}, ${from}` : title);
