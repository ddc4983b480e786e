// What tells things apart that are called the same: their host, their file's name, or their folder.

import { hostOf, nameOf } from "./format.js";

/** The folder that a URL's file lies in: "example.org/films/". */
export const folderOf = (url) => address(url).replace(/[^/]*$/, "");

/** A URL without what nobody reads: "example.org/films/v.mp4". */
export function address(url) {
  try {
    const { host, pathname } = new URL(url);
    return host + decodeURIComponent(pathname);
  } catch {
    return url;
  }
}

const whole = (url) => url.replace(/^\w+:\/\//, "");
const ways = [hostOf, nameOf, folderOf, address, whole];

/**
 * What stands under each title that others have, too.
 *
 * @param {{key: string, title: string, url: string}[]} all
 * @returns {Map<string, string>} by key; those whose titles are their own aren't in it
 */
export function toldApart(all) {
  const groups = Map.groupBy(all.filter(({ url }) => url), ({ title }) => title);
  const found = new Map();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    for (const { key, url } of group) {
      const isAlone = (way) => group.filter((other) => way(other.url) === way(url)).length === 1;
      found.set(key, (ways.find(isAlone) ?? whole)(url));
    }
  }
  return found;
}

/** A title with what tells it apart, for names that are read out alone. */
export const inFull = (title, from) => (from ? `${title}, ${from}` : title);
