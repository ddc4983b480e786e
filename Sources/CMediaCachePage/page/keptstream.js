// What is kept of a stream, segment by segment, as it comes.

import { api } from "./api.js";
import { local, originOf } from "./address.js";
import { oncePerFrame } from "./elements.js";
import { readSegments } from "./playlists.js";
import { onEvent } from "./store.js";

/** A segment of which nothing has come for so long isn't on its way any more. */
const freshFor = 4000;

/**
 * A part of a stream.
 *
 * @typedef {Object} Part
 * @property {number} start in seconds
 * @property {number} end
 * @property {string} url its origin's
 * @property {string} [name] its name within the asset
 * @property {boolean} isHere
 * @property {number} freshUntil when it stops to count as on its way
 */

/**
 * Follows a stream's segments.
 *
 * @param {Object} subject
 * @param {Object} [subject.asset] the asset, if it is one
 * @param {string} subject.url
 * @param {(picture: import("./keptbar.js").Picture, parts: {done: number, all: number}) => void} show
 * @param {AbortSignal} signal ends it
 */
export async function followStream({ asset, url }, show, signal) {
  let parts = [];
  let byURL = new Map();
  let byName = new Map();
  let timer = null;

  const draw = oncePerFrame(() => {
    if (signal.aborted || parts.length === 0) return;
    const now = performance.now();
    const coming = parts.filter((part) => !part.isHere && part.freshUntil > now);
    const total = Math.max(...parts.map(({ end }) => end));
    const here = parts.filter(({ isHere }) => isHere);
    show({ total, spans: joined(here), fetching: joined(coming) }, { done: here.length, all: parts.length });
    clearTimeout(timer);
    if (coming.length) timer = setTimeout(draw, freshFor / 2);
  });

  /** Takes the parts, and what is here of them. */
  const load = async () => {
    const found = asset ? await partsOfAsset(asset) : await partsOfURL(url);
    const resources = asset?.state === "complete" ? null : await api.resources();
    if (signal.aborted) return;
    const whole = new Set();
    for (const resource of resources ?? []) {
      if (resource.complete) whole.add(resource.url).add(resource.key);
    }
    const known = byURL;
    parts = found.map((part) => ({
      ...part, isHere: resources === null || whole.has(part.url) || known.get(part.url)?.isHere === true, freshUntil: 0,
    }));
    byURL = new Map(parts.map((part) => [part.url, part]));
    byName = new Map(parts.filter(({ name }) => name).map((part) => [part.name, part]));
    draw();
  };

  const came = (part, isHere) => {
    if (!part) return;
    part.isHere ||= isHere;
    part.freshUntil = performance.now() + freshFor;
    draw();
  };
  onEvent((event) => {
    if (event.event === "resource.progress") came(byURL.get(event.resource),
      event.length > 0 && event.bytes >= event.length
    );
    else if (event.event === "resource.evicted" && byURL.has(event.resource)) byURL.get(event.resource).isHere = false;
    else if (asset && event.asset === asset.id) {
      if (event.event === "part.started") came(byName.get(event.part), false);
      else if (event.event === "part.done") came(byName.get(event.part), true);
      // What it consists of is known a moment after its download has begun.
      if (parts.length === 0 || event.event === "download.state") retry();
    }
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(timer));

  let isLoading = false;
  const retry = async () => {
    if (isLoading || signal.aborted) return;
    isLoading = true;
    try { await load(); } catch { /* the next event asks again */ } finally { isLoading = false; }
  };
  await retry();
  // A player that has just begun makes the cache know the playlist.
  return retry;
}

/** The segments of what the eye follows: of one track, the video's if there is one. */
async function partsOfAsset(asset) {
  const { contents } = await api.contents(asset.id);
  const segments = (contents?.parts ?? []).filter(({ role }) => role === "mediaSegment");
  const folder = ({ name }) => name.split("/")[0];
  const folders = [...new Set(segments.map(folder))];
  const main = folders.find((one) => /^(video|media)/.test(one)) ?? folders[0];
  return segments.filter((part) => folder(part) === main).map(({ name, url, start, duration }) => ({ name, url, start, end: start + duration }));
}

async function partsOfURL(url) {
  const { stream } = await api.resourceOf(url);
  const playlists = (stream?.playlists ?? []).filter(({ role, segments }) => segments > 0 && (role === "variant" || role === "media"));
  const most = playlists.sort((one, other) => other.segmentsKept - one.segmentsKept)[0];
  if (!most) return [];
  const playURL = local(await api.playURL(most.url));
  const { segments, isOver } = await readSegments(playURL);
  if (!isOver) return [];
  return segments.map(({ start, duration, url: at }) => ({ url: originOf(at) ?? at, start, end: start + duration }));
}

/** Stretches of parts in order, those that touch as one. */
function joined(parts) {
  const found = [];
  for (const { start, end } of parts) {
    const last = found[found.length - 1];
    if (last && start - last.end < 0.05) last.end = Math.max(last.end, end);
    else found.push({ start, end });
  }
  return found;
}
