// What the page knows of the server: read once, and kept true by events.

import { api, Problem } from "./api.js";
import { atMostEvery } from "./elements.js";

/** Records of one kind by their names, and who wants to know when one changes. */
class Shelf {
  /** @param {(record: Object) => string} nameOf @param {(name: string) => Promise<Object>} read */
  constructor(nameOf, read) {
    this.records = new Map();
    this.nameOf = nameOf;
    this.read = read;
    this.listeners = new Set();
    this.readers = new Map();
    /** How often each was removed. */
    this.removals = new Map();
  }

  get(name) { return this.records.get(name); }
  get all() { return [...this.records.values()]; }

  /** Takes all records, in the server's order. */
  fill(records) {
    this.records = new Map(records.map((record) => [this.nameOf(record), record]));
    this.tell(null);
  }

  /** Takes one record, new or changed. */
  put(record) {
    const name = this.nameOf(record);
    this.records.set(name, record);
    this.tell(name);
  }

  /** Changes some of a record, if it's known. */
  change(name, changes) {
    const record = this.records.get(name);
    if (!record) return false;
    this.records.set(name, { ...record, ...changes });
    this.tell(name);
    return true;
  }

  remove(name) {
    this.removals.set(name, (this.removals.get(name) ?? 0) + 1);
    if (this.records.delete(name)) this.tell(name);
  }

  /** Reads one again: at once, and at most once a second however often it's said. */
  refresh(name) {
    let read = this.readers.get(name);
    if (!read) {
      read = atMostEvery(1000, async () => {
        const removals = this.removals.get(name);
        try {
          const record = await this.read(name);
          // It may be gone since it was asked for.
          if (this.removals.get(name) === removals) this.put(record);
        } catch (error) {
          if (error instanceof Problem && error.status === 404) this.remove(name);
        }
      });
      this.readers.set(name, read);
    }
    read();
  }

  tell(name) { for (const listener of this.listeners) listener(name); }

  /**
   * Calls a function with a record's name whenever one changes, with null when all may have.
   *
   * @param {AbortSignal} signal ends it
   */
  watch(listener, signal) {
    this.listeners.add(listener);
    signal.addEventListener("abort", () => this.listeners.delete(listener));
  }
}

export const assets = new Shelf((record) => record.id, api.asset);
export const downloads = new Shelf((record) => record.id, api.download);
export const channels = new Shelf((record) => record.name, api.channel);

/** Every event as it comes, for who wants more of it than the records. */
const followers = new Set();
export function onEvent(listener, signal) {
  followers.add(listener);
  signal.addEventListener("abort", () => followers.delete(listener));
}

/** Reads everything: at the beginning, and after the connection was lost. */
export async function readAll() {
  const [allAssets, allDownloads, allChannels] = await Promise.all([api.assets(), api.downloads(), api.channels()]);
  assets.fill(allAssets);
  downloads.fill(allDownloads);
  channels.fill(allChannels);
}

const isEnded = (state) => ["complete", "completeWithHoles", "failed"].includes(state);

/** What an event means for the records. */
const effects = {
  "asset.added": ({ asset }) => assets.refresh(asset),
  "asset.changed": ({ asset }) => assets.refresh(asset),
  "asset.removed": ({ asset }) => assets.remove(asset),
  "download.added": ({ asset }) => both(asset),
  "download.state": ({ asset, state, reason }) => {
    const isKnown = downloads.change(asset, { state, reason, ...(state === "running" ? {} : { rate: 0 }) });
    assets.change(asset, { state, reason });
    if (!isKnown || isEnded(state)) both(asset);
  },
  "download.progress": ({ asset, bytes, length, lengthKnown, partsDone, parts, rate, secondsReady }) => {
    const known = downloads.get(asset);
    downloads.change(asset, { bytes, length, lengthKnown, partsDone, parts, rate, secondsReady });
    // What it is turns out a moment after its download has begun.
    if (known && !known.kind && parts > 0) both(asset);
    assets.change(asset, { bytes, length, lengthKnown });
  },
  "download.removed": ({ asset }) => {
    downloads.remove(asset);
    // It may be an asset still, by what came of it.
    if (assets.get(asset)) assets.refresh(asset);
  },
  "channel.state": ({ channel, channelState, message }) => {
    const isKnown = channels.change(channel, { state: channelState, reason: message });
    if (!isKnown || channelState === "ended") channels.refresh(channel);
  },
  "channel.segment": ({ channel, start, duration }) => recorded(channel, start, duration),
  "channel.gap": ({ channel }) => channels.refresh(channel),
  "channel.pruned": ({ channel }) => channels.refresh(channel),
  "channel.export": exported,
  "channel.removed": ({ channel }) => channels.remove(channel),
  dropped: () => readAll().catch(() => {}),
};

/** Takes an event. */
export function apply(event) {
  effects[event.event]?.(event);
  for (const follower of followers) follower(event);
}

function both(asset) {
  downloads.refresh(asset);
  assets.refresh(asset);
}

/** Sums come with the record, which is read while somebody looks; what the eye follows, the edge, comes with each segment. */
const lastSums = new Map();
function recorded(name, start, duration) {
  const channel = channels.get(name);
  const edge = Math.round(start + duration * 1000);
  const now = performance.now();
  const isShown = channels.listeners.size > 0;
  if (!channel || channel.kept.length === 0 || (isShown && now - (lastSums.get(name) ?? 0) > 5000)) {
    lastSums.set(name, now);
    channels.refresh(name);
  }
  if (!channel || channel.kept.length === 0 || edge <= (channel.edge ?? 0)) return;
  const kept = channel.kept.slice();
  const last = kept[kept.length - 1];
  if (start > last.to + 1000) kept.push({ from: start, to: edge });
  else kept[kept.length - 1] = { from: last.from, to: Math.max(last.to, edge) };
  channels.change(name, { edge, kept });
}

function exported({ channel: name, programme: id, format, exportState, progress, bytes, count, message }) {
  const channel = channels.get(name);
  const found = channel?.programmes.find((programme) => programme.id === id)?.exports.find((one) => one.format === format);
  if (!found) return channels.refresh(name);
  const changes = { state: exportState, progress: progress ?? 0, bytes, missing: count ?? 0, reason: message };
  channels.change(name, {
    programmes: channel.programmes.map((programme) => programme.id !== id ? programme : {
      ...programme,
      exports: programme.exports.map((one) => (one.format === format ? { ...one, ...changes } : one)),
    }),
  });
}
