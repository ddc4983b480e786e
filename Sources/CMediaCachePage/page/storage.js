// Storage: what uses how much, what the limits are, and what would go next.

import { folderOf, toldApart } from "./alike.js";
import { api } from "./api.js";
import { routes } from "./address.js";
import { arrange, atMostEvery, make, mark, say } from "./elements.js";
import { ago, bytes, counted, titleFrom, words } from "./format.js";
import { reportError } from "./problems.js";
import { makeSettings } from "./settings.js";
import { assets, channels, onEvent } from "./store.js";
import { upkeep } from "./upkeep.js";

const kinds = {
  asset: "Downloads", channel: "Channels", played: "Played through", covers: "Covers", free: "Free on the disk"
};

/** What somebody uses it as. */
const useOf = (kind) => (kind in kinds ? kind : "played");

/** Shows how the disk is used. It's read again when something changes, every third second at most. */
export function storageView({ main, signal }) {
  const bar = make("div.usage", { role: "img", "aria-label": "What uses how much: it’s being read" });
  const legend = make("ul.legend", { role: "list" });
  const limits = make("p", {}, "Reading what is kept…");
  const items = make("ul.table", { "aria-label": "Largest first", role: "list" });
  const next = make("ul.table", { "aria-label": "Would go next", role: "list" });
  const nextNote = make("p.hint");
  const [itemRows, nextRows] = [new Map(), new Map()];

  const read = atMostEvery(3000, async () => {
    if (signal.aborted) return;
    try {
      const found = await api.storage();
      if (signal.aborted) return;
      showUsage(found, bar, legend);
      say(limits, limitsInWords(found.limits));
      showList(items, itemRows, named(found.items.filter((item) => item.bytes > 0)), itemKey, itemRow);
      showList(next, nextRows, found.evictedNext, ({ id }) => String(id), nextRow);
      say(nextNote,
        found.evictedNext.length ? "What was used least lately goes first, when a limit is reached. Downloads and channels stay." : "Nothing would: all that is kept was downloaded, recorded or pinned."
      );
    } catch (error) {
      reportError("How the disk is used can’t be read", error);
    }
  });
  onEvent((event) => {
    if (/^(resource\.(progress|evicted|changed)|download\.(removed|state)|channel\.(segment|pruned|removed))$/.test(event.event)) read();
  }, signal);

  main.append(
    make("header.view-head", {}, make("h1", {}, "Storage")),
    make("section.panel", { "aria-label": "Use" }, bar, legend, limits, upkeep(read)),
    make("div.columns", {},
      make("section.panel", {}, make("h2", {}, "What uses most"), items),
      make("section.panel", {}, make("h2", {}, "Would go next"), nextNote, next)),
    makeSettings());
  read();
  return "Storage";
}

function showUsage({ usage, items }, bar, legend) {
  const sums = { asset: 0, channel: 0, played: 0 };
  for (const { kind, bytes: size } of items) sums[useOf(kind)] += size;
  // The server tells of the largest alone, so that the sums of all come from what is known of each.
  sums.asset = Math.max(sums.asset, assets.all.reduce((sum, asset) => sum + (asset.bytes ?? 0), 0));
  sums.channel = Math.max(sums.channel, channels.all.reduce((sum, channel) => sum + channel.bytes, 0));
  sums.played = Math.max(0, usage.bytes - sums.asset - sums.channel);
  sums.covers = usage.coverBytes;
  sums.free = usage.freeDiskBytes;
  const all = Object.values(sums).reduce((sum, one) => sum + one, 0) || 1;
  const shown = Object.keys(kinds).filter((kind) => sums[kind] > 0);
  const text = shown.map((kind) => `${kinds[kind]} ${bytes(sums[kind])}`);
  const key = text.join();
  if (bar.dataset.key === key) return;
  mark(bar, "data-key", key);
  mark(bar, "aria-label", `What uses how much: ${text.join(", ")}`);
  bar.replaceChildren(...shown.map((kind) => {
    const part = make("i", { data: { kind } });
    part.style.setProperty("flex-grow", String(Math.max(sums[kind] / all, 0.004)));
    return part;
  }));
  legend.replaceChildren(...shown.map((kind) => make("li", {}, make("i", { data: { kind } }),
    `${kinds[kind]}: ${bytes(sums[kind])}`
  )));
}

function limitsInWords({ maximumBytes, maximumAge, minimumFreeBytes }) {
  const reasons = [
    maximumBytes && "there is no room", minimumFreeBytes && `less than ${bytes(minimumFreeBytes)} of the disk would stay free`,
    maximumAge && `nobody has used it for ${words(maximumAge)}`,
  ].filter(Boolean);
  const goes = reasons.length ? `When ${reasons.join(", or ").replace(/, or (?=.*, or )/g, ", ")}, only what was played through goes.` : "";
  return [
    maximumBytes ? `All that is kept may use ${bytes(maximumBytes)}, downloads and recordings with it.` : "What is kept may use as much as there is.",
    goes, maximumBytes && "Where downloads and recordings fill all of that, new downloads wait, and what plays isn’t kept.",
    "The limits are options of “mediacache serve”.",
  ].filter(Boolean).join(" ");
}

function showList(list, rows, records, keyOf, build) {
  const known = new Map(records.map((record) => [keyOf(record), record]));
  const texts = (key) => JSON.stringify(known.get(key));
  // A row whose record is another is made anew.
  for (const [key, row] of rows) {
    if (!known.has(key) || row.dataset.key === texts(key)) continue;
    row.remove();
    rows.delete(key);
  }
  arrange(list, rows, [...known.keys()], (key) => {
    const row = build(known.get(key));
    row.dataset.key = texts(key);
    return row;
  });
  list.hidden = records.length === 0;
}

const itemKey = ({ kind, id }) => `${kind} ${id}`;

/** Items with what they are called, and what tells those of one name apart. */
function named(items) {
  const all = items.map((item) => {
    const whole = item.title || item.id;
    const isURL = /^https?:/.test(whole);
    return { item, key: itemKey(item), title: isURL ? titleFrom(whole) : whole, url: isURL ? whole : assets.get(item.id)?.url };
  });
  const from = toldApart(all);
  return all.map(({ item, key, title }) => ({ ...item, name: title, from: from.get(key) }));
}

function itemRow({ kind, id, name, from, bytes: size, count }) {
  const address = kind === "asset" ? routes.asset(id) : kind === "channel" ? routes.channel(id) : "#/played";
  const note = {
    asset: "download", channel: "channel", file: "played through", stream: "stream, played through",
    parts: `${counted(count ?? 0, "segment")}, played through`
  }[kind];
  return make("li", {},
    make("i", { data: { kind: useOf(kind) } }),
    make("span", {}, make("a", { href: address }, name), from && make("span.address", {}, from)),
    make("span.hint", {}, note), make("b", {}, bytes(size))
  );
}

function nextRow({ url, bytes: size, lastUsed }) {
  return make("li", {},
    make("span", { title: url }, titleFrom(url), make("span.address", {}, folderOf(url))),
    make("span.hint", {}, `used ${ago(Date.parse(lastUsed))}`), make("b", {}, bytes(size))
  );
}
