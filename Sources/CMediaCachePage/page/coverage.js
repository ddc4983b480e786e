// Follows the cached and loading ranges of a file or a stream.

import { localURL, originURL } from "./address.js";
import { api, Problem } from "./api.js";
import { atMostEvery, oncePerFrame } from "./elements.js";
import { readSegments } from "./playlists.js";
import { onEvent } from "./store.js";

/**
 * The coverage of a file or a stream.
 *
 * @typedef {Object} Coverage
 * @property {number} total the length in bytes or seconds; 0 if unknown
 * @property {{start: number, end: number}[]} spans the cached ranges, in order
 * @property {{start: number, end: number}[]} loading the ranges that are being fetched
 */

/** The minimum interval between reads of a file's record, in milliseconds. */
const readEvery = 400;
/** The interval between reads of the record of a loading file, if there are no events, in milliseconds. */
const fileFreshFor = 1500;
/** The time without an event after which a segment no longer counts as loading, in milliseconds. */
const segmentFreshFor = 4000;

/**
 * Follows the coverage of a file.
 *
 * @param {string} url
 * @param {(coverage: Coverage, record: Object|null) => void} show
 * @param {AbortSignal} signal stops it when aborted
 */
export function followFile(url, show, signal) {
  let key = url;
  let timer = null;

  const read = async () => {
    let record = null;
    try {
      record = await api.resourceOf(url);
    } catch (error) {
      if (!(error instanceof Problem)) return;
    }
    if (signal.aborted) return;
    key = record?.key ?? url;
    const loading = record?.fills ?? [];
    show({ total: record?.length ?? 0, spans: record?.spans ?? [], loading }, record);
    clearTimeout(timer);
    // The end of a transfer isn't reported by an event.
    if (loading.length) timer = setTimeout(refresh, fileFreshFor);
  };
  const refresh = atMostEvery(readEvery, read);
  onEvent((event) => {
    if (event.event.startsWith("resource.") && event.resource === key) refresh();
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(timer));
  refresh();
}

/**
 * A segment of a stream.
 *
 * @typedef {Object} Segment
 * @property {number} start in seconds
 * @property {number} end in seconds
 * @property {string} url the URL at the origin
 * @property {string} [name] the name within the asset
 * @property {boolean} isCached
 * @property {number} loadingUntil the time until which the segment counts as loading (`performance.now()`)
 */

/**
 * Follows the coverage of a stream by its segments.
 *
 * @param {{asset?: Object, url: string}} subject the stream, and the asset that it belongs to
 * @param {(coverage: Coverage, segments: {cached: number, all: number}) => void} show
 * @param {AbortSignal} signal stops it when aborted
 * @returns {Promise<() => void>} a function that reloads the segments
 */
export async function followStream({ asset, url }, show, signal) {
  /** @type {Segment[]} */
  let segments = [];
  let byURL = new Map();
  let byName = new Map();
  let timer = null;

  const draw = oncePerFrame(() => {
    if (signal.aborted || segments.length === 0) return;
    const now = performance.now();
    const loading = segments.filter((segment) => !segment.isCached && segment.loadingUntil > now);
    const total = Math.max(...segments.map(({ end }) => end));
    const cached = segments.filter(({ isCached }) => isCached);
    show({ total, spans: joined(cached), loading: joined(loading) }, { cached: cached.length, all: segments.length });
    clearTimeout(timer);
    if (loading.length) timer = setTimeout(draw, segmentFreshFor / 2);
  });

  const load = async () => {
    const found = asset ? await segmentsOfAsset(asset) : await segmentsOfURL(url);
    const resources = asset?.state === "complete" ? null : await api.resources();
    if (signal.aborted) return;
    const complete = new Set();
    for (const resource of resources ?? []) {
      if (resource.complete) complete.add(resource.url).add(resource.key);
    }
    segments = found.map((segment) => ({
      ...segment,
      isCached: resources === null || complete.has(segment.url) || byURL.get(segment.url)?.isCached === true,
      loadingUntil: 0,
    }));
    byURL = new Map(segments.map((segment) => [segment.url, segment]));
    byName = new Map(segments.filter(({ name }) => name).map((segment) => [segment.name, segment]));
    draw();
  };

  const received = (segment, isComplete) => {
    if (!segment) return;
    segment.isCached ||= isComplete;
    segment.loadingUntil = performance.now() + segmentFreshFor;
    draw();
  };
  onEvent((event) => {
    if (event.event === "resource.progress") {
      received(byURL.get(event.resource), event.length > 0 && event.bytes >= event.length);
    } else if (event.event === "resource.evicted" && byURL.has(event.resource)) {
      byURL.get(event.resource).isCached = false;
      draw();
    } else if (asset && event.asset === asset.id) {
      if (event.event === "part.started") received(byName.get(event.part), false);
      else if (event.event === "part.done") received(byName.get(event.part), true);
      // The segments of a download aren't known until shortly after it starts.
      if (segments.length === 0 || event.event === "download.state") reload();
    }
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(timer));

  let isLoading = false;
  const reload = async () => {
    if (isLoading || signal.aborted) return;
    isLoading = true;
    try { await load(); } catch { /* the next event reloads */ } finally { isLoading = false; }
  };
  await reload();
  return reload;
}

/** Returns the media segments of one track of an asset, the video track if there is one. */
async function segmentsOfAsset(asset) {
  const { contents } = await api.contents(asset.id);
  const segments = (contents?.parts ?? []).filter(({ role }) => role === "mediaSegment");
  const folder = ({ name }) => name.split("/")[0];
  const folders = [...new Set(segments.map(folder))];
  const main = folders.find((one) => /^(video|media)/.test(one)) ?? folders[0];
  return segments.filter((part) => folder(part) === main)
    .map(({ name, url, start, duration }) => ({ name, url, start, end: start + duration }));
}

/** Returns the segments of the stream's playlist with the most cached segments; none while that playlist is live. */
async function segmentsOfURL(url) {
  const { stream } = await api.resourceOf(url);
  const playlists = (stream?.playlists ?? [])
    .filter(({ role, segments }) => segments > 0 && (role === "variant" || role === "media"));
  const most = playlists.sort((one, other) => other.segmentsCached - one.segmentsCached)[0];
  if (!most) return [];
  const playURL = localURL(await api.playURL(most.url));
  const { segments, isOver } = await readSegments(playURL);
  if (!isOver) return [];
  return segments.map(({ start, duration, url: at }) => ({ url: originURL(at) ?? at, start, end: start + duration }));
}

/** Joins adjacent segments into spans. */
function joined(segments) {
  const found = [];
  for (const { start, end } of segments) {
    const last = found.at(-1);
    if (last && start - last.end < 0.05) last.end = Math.max(last.end, end);
    else found.push({ start, end });
  }
  return found;
}
