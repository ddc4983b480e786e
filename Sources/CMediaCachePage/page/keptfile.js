// What is kept of a file, byte by byte, as it comes.

import { api, Problem } from "./api.js";
import { atMostEvery } from "./elements.js";
import { onEvent } from "./store.js";

const readEvery = 400;
/** Where the server doesn't say what is being fetched, what came so lately stands for it. */
const freshFor = 1500;

/**
 * Follows a file's resource.
 *
 * @param {string} url
 * @param {(picture: import("./keptbar.js").Picture, record: Object|null) => void} show
 * @param {AbortSignal} signal ends it
 */
export function followFile(url, show, signal) {
  let key = url;
  let last = null;
  let settle = null;

  const read = async () => {
    let record = null;
    try {
      record = await api.resourceOf(url);
    } catch (error) {
      if (!(error instanceof Problem)) return;
    }
    if (signal.aborted) return;
    key = record?.key ?? url;
    const fetching = record?.fills ?? gained(last?.spans, record?.spans);
    last = record;
    show({ total: record?.length ?? 0, spans: record?.spans ?? [], fetching }, record);
    clearTimeout(settle);
    // When nothing more comes, nothing is on its way: that is no event of its own.
    if (fetching.length) settle = setTimeout(ask, freshFor);
  };
  const ask = atMostEvery(readEvery, read);
  onEvent((event) => {
    if (event.event.startsWith("resource.") && event.resource === key) ask();
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(settle));
  ask();
}

/** The parts of `now` that aren't in `before`; both are sorted, and their stretches don't overlap. */
export function gained(before, now) {
  if (!before || !now) return [];
  const parts = [];
  for (const span of now) {
    let from = span.start;
    for (const old of before) {
      if (old.end <= from || old.start >= span.end) continue;
      if (old.start > from) parts.push({ start: from, end: old.start });
      from = Math.max(from, old.end);
    }
    if (from < span.end) parts.push({ start: from, end: span.end });
  }
  return parts;
}
