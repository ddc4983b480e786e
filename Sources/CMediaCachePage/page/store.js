// The server's records that the page shows. The page reads them when the event stream begins or has dropped events, and
// updates them with events in between.

import { api, Problem } from "./api.js";
import { atMostEvery } from "./elements.js";
import { isEnded } from "./words.js";

/** Records of one kind, by name, and the listeners for their changes. */
class RecordStore {
  /**
   * @param {(record: Object) => string} nameOf
   * @param {(name: string) => Promise<Object>} read
   * @param {() => Promise<Object[]>} readAll
   */
  constructor(nameOf, read, readAll) {
    this.records = new Map();
    this.nameOf = nameOf;
    this.read = read;
    this.readAll = readAll;
    this.listeners = new Set();
    this.readers = new Map();
    /** The number of removals of each record, by name. */
    this.removals = new Map();
    /** The positions of the names in the order of addition, for records whose times are equal. */
    this.ranks = new Map();
    this.rankCount = 0;
    /** For each read of all records in progress, the changes since its start. */
    this.reads = new Set();
    /** The number of times all records were replaced with a list from the server. */
    this.replacements = 0;
  }

  get(name) { return this.records.get(name); }
  get all() { return [...this.records.values()]; }

  /**
   * Replaces all records, in the server's order. Changes during the read are repeated, since the list may be older.
   *
   * @param {() => Promise<Object[]>} [read] a request whose response lists all records
   */
  async replaceAll(read = this.readAll) {
    const { replacements } = this;
    const changes = [];
    let found;
    this.reads.add(changes);
    try {
      found = await read();
    } finally {
      this.reads.delete(changes);
    }
    // Of two overlapping reads, either may return the older list.
    if (this.replacements !== replacements) return this.replaceAll();
    this.replacements += 1;
    this.records = new Map(found.map((record) => [this.nameOf(record), record]));
    this.rankAll([...this.records.keys()]);
    for (const change of changes) change(this.records);
    this.notifyListeners(null);
  }

  /** Applies a change to the records, and returns the change's result. */
  apply(change) {
    for (const changes of this.reads) changes.push(change);
    return change(this.records);
  }

  /** Returns the position of a name in the order of addition. An unknown name is added as the last one. */
  rank(name) {
    if (!this.ranks.has(name)) this.ranks.set(name, (this.rankCount += 1));
    return this.ranks.get(name);
  }

  /** Ranks the names of a complete list from the server, which begins with the newest, before those added since. */
  rankAll(names) {
    const known = new Set(names);
    const others = [...this.ranks.keys()].filter((name) => !known.has(name));
    this.ranks.clear();
    for (const name of [...names.reverse(), ...others]) this.rank(name);
  }

  put(record) {
    const name = this.nameOf(record);
    this.rank(name);
    this.apply((records) => records.set(name, record));
    this.notifyListeners(name);
  }

  /** Changes properties of a record. Returns whether the record exists. */
  change(name, changes) {
    const isKnown = this.apply((records) => {
      const record = records.get(name);
      if (record) records.set(name, { ...record, ...changes });
      return Boolean(record);
    });
    if (isKnown) this.notifyListeners(name);
    return isKnown;
  }

  /** Removes a record, and discards the result of a read of it in progress. */
  remove(name) {
    this.removals.set(name, (this.removals.get(name) ?? 0) + 1);
    this.ranks.delete(name);
    if (this.apply((records) => records.delete(name))) this.notifyListeners(name);
  }

  /** Reads a record again, at most once a second, and removes it if the server no longer has it. */
  refresh(name) {
    let read = this.readers.get(name);
    if (!read) {
      read = atMostEvery(1000, async () => {
        const removals = this.removals.get(name);
        try {
          const record = await this.read(name);
          if (this.removals.get(name) === removals) this.put(record);
        } catch (error) {
          if (error instanceof Problem && error.status === 404) this.remove(name);
        }
      });
      this.readers.set(name, read);
    }
    read();
  }

  notifyListeners(name) { for (const listener of this.listeners) listener(name); }

  /**
   * Calls `listener` with the name of each record that changes, or with null if any record may have changed.
   *
   * @param {AbortSignal} signal stops it when aborted
   */
  watch(listener, signal) {
    this.listeners.add(listener);
    signal.addEventListener("abort", () => this.listeners.delete(listener));
  }
}

export const assets = new RecordStore((record) => record.id, api.asset, api.assets);
export const downloads = new RecordStore((record) => record.id, api.download, api.downloads);
export const channels = new RecordStore((record) => record.name, api.channel, api.channels);

const followers = new Set();
/** Calls `listener` with each event from the server. */
export function onEvent(listener, signal) {
  followers.add(listener);
  signal.addEventListener("abort", () => followers.delete(listener));
}

export const readAll = () => Promise.all([assets, downloads, channels].map((store) => store.replaceAll()));

/** Reads all records after the event stream has dropped events, and again after a failure. */
const readAgain = atMostEvery(2000, () => readAll().catch((error) => { if (error.status !== 401) readAgain(); }));

/** The effects of events on the records. */
const effects = {
  "asset.added": ({ asset }) => {
    // The events are in the order of addition; the records may arrive in another.
    assets.rank(asset);
    assets.refresh(asset);
  },
  "asset.changed": ({ asset }) => assets.refresh(asset),
  "asset.removed": ({ asset }) => assets.remove(asset),
  "download.added": ({ asset }) => both(asset),
  "download.state": ({ asset, state, reason }) => {
    const isKnown = downloads.change(asset, { state, reason, ...(state === "running" ? {} : { rate: 0 }) });
    assets.change(asset, { state, reason });
    if (!isKnown || isEnded({ state })) both(asset);
  },
  "download.progress": ({ asset, bytes, length, isLengthExact, partsDone, parts, rate, secondsReady }) => {
    const known = downloads.get(asset);
    downloads.change(asset, { bytes, length, isLengthExact, partsDone, parts, rate, secondsReady });
    // The kind of a download isn't known until shortly after it starts.
    if (known && !known.kind && parts > 0) both(asset);
    assets.change(asset, { bytes, length, isLengthExact });
  },
  "download.removed": ({ asset }) => {
    downloads.remove(asset);
    // The asset remains if the user kept the downloaded data.
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
  dropped: readAgain,
};

/** Applies an event to the records and passes it to the listeners. */
export function apply(event) {
  effects[event.event]?.(event);
  for (const follower of followers) follower(event);
}

function both(asset) {
  downloads.refresh(asset);
  assets.refresh(asset);
}

/** The time of the last read of each channel's record. Events update the live edge, but not the totals. */
const lastReads = new Map();
function recorded(name, start, duration) {
  const channel = channels.get(name);
  const edge = Math.round(start + duration * 1000);
  const now = performance.now();
  const isShown = channels.listeners.size > 0;
  if (!channel || channel.recordedRanges.length === 0 || (isShown && now - (lastReads.get(name) ?? 0) > 5000)) {
    lastReads.set(name, now);
    channels.refresh(name);
  }
  if (!channel || channel.recordedRanges.length === 0 || edge <= (channel.edge ?? 0)) return;
  const recordedRanges = channel.recordedRanges.slice();
  const last = recordedRanges.pop();
  if (start > last.to + 1000) recordedRanges.push(last, { from: start, to: edge });
  else recordedRanges.push({ from: last.from, to: Math.max(last.to, edge) });
  channels.change(name, { edge, recordedRanges });
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
