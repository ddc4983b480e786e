// The storage view: disk usage, limits, the items to be removed next, and maintenance.

import { routes } from "./address.js";
import { api, sentence } from "./api.js";
import { check } from "./dialogs.js";
import { arrange, atMostEvery, make, updateAttribute, updateText } from "./elements.js";
import { ago, bytes, counted, distinguishingLabels, folderOf, nameOf, titleFrom, words } from "./format.js";
import { dismissProblem, reportError, reportProblem } from "./notices.js";
import { assets, channels, onEvent } from "./store.js";

const kinds = { asset: "Library", channel: "Channels", played: "Played", covers: "Covers", free: "Free disk space" };

const categoryOf = (kind) => (kind in kinds ? kind : "played");

export function storageView({ main, signal }) {
  const bar = make("div.usage", { role: "img", "aria-label": "Disk usage: loading" });
  const legend = make("ul.legend", { role: "list" });
  const limits = make("p", {}, "Loading the disk usage…");
  const items = make("ul.table", { "aria-label": "Largest first", role: "list" });
  const next = make("ul.table", { "aria-label": "Next to be removed", role: "list" });
  const nextNote = make("p.hint");
  const [itemRows, nextRows] = [new Map(), new Map()];

  const read = atMostEvery(3000, async () => {
    if (signal.aborted) return;
    try {
      const found = await api.storage();
      if (signal.aborted) return;
      showUsage(found, bar, legend);
      updateText(limits, limitsInWords(found.limits));
      showList(items, itemRows, named(found.items.filter((item) => item.bytes > 0)), itemKey, itemRow);
      showList(next, nextRows, found.evictedNext, ({ id }) => String(id), nextRow);
      updateText(nextNote,
        found.evictedNext.length
          ? "When a limit is reached, the least recently used items are removed first. Downloads, imports and recordings are never removed."
          : "There is nothing to remove. Downloads, imports, recordings, pinned items and items in use are excluded.");
    } catch (error) {
      reportError("The disk usage can’t be loaded", error);
    }
  });
  onEvent((event) => {
    if (/^(resource\.(progress|evicted|changed)|download\.(removed|state)|channel\.(segment|pruned|removed))$/.test(event.event)) read();
  }, signal);

  main.append(
    make("header.view-head", {}, make("h1", {}, "Storage")),
    make("section.panel", { "aria-label": "Disk usage" }, bar, legend,
      make("div", {}, limits, make("a", { href: "#/settings" }, "Change the limits")), maintenanceControls(read)),
    make("div.columns", {},
      make("section.panel", {}, make("h2", {}, "Largest items"), items),
      make("section.panel", {}, make("h2", {}, "Next to be removed"), nextNote, next)));
  read();
  return "Storage";
}

function showUsage({ usage, items }, bar, legend) {
  const sums = { asset: 0, channel: 0, played: 0 };
  for (const { kind, bytes: size } of items) sums[categoryOf(kind)] += size;
  // The server lists only the largest items. The page's own records complete the totals.
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
  updateAttribute(bar, "data-key", key);
  updateAttribute(bar, "aria-label", `Disk usage: ${text.join(", ")}`);
  bar.replaceChildren(...shown.map((kind) => {
    const part = make("i", { data: { kind } });
    part.style.setProperty("flex-grow", String(sums[kind] / all));
    return part;
  }));
  legend.replaceChildren(...shown.map((kind) => make("li", {},
    make("i", { data: { kind } }), `${kinds[kind]}: ${bytes(sums[kind])}`)));
}

function limitsInWords({ maximumBytes, maximumAge, minimumFreeBytes }) {
  const limits = [
    maximumBytes ? `Cache limit: ${bytes(maximumBytes)}, including downloads and recordings.` : "Cache limit: none.",
    minimumFreeBytes && `Minimum free disk space: ${bytes(minimumFreeBytes)}.`,
    maximumAge && `Played media is removed after ${words(maximumAge)} without use.`,
  ];
  const removal = (maximumBytes || minimumFreeBytes || maximumAge) && "Only played media is removed to stay within the limits.";
  const full = maximumBytes && "If downloads and recordings fill the cache, new downloads wait and playback isn’t cached.";
  return [...limits, removal, full].filter(Boolean).join(" ");
}

function showList(list, rows, records, keyOf, build) {
  const known = new Map(records.map((record) => [keyOf(record), record]));
  const texts = (key) => JSON.stringify(known.get(key));
  // A row is replaced when its record has changed.
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

/** Adds titles to items, and labels that distinguish items with the same title. */
function named(items) {
  const all = items.map((item) => {
    const name = item.title || item.id;
    const isURL = /^https?:/.test(name);
    return { item, key: itemKey(item), title: isURL ? titleFrom(name) : name, url: isURL ? name : assets.get(item.id)?.url };
  });
  const from = distinguishingLabels(all);
  return all.map(({ item, key, title }) => ({ ...item, name: title, from: from.get(key) }));
}

function itemRow({ kind, id, name, from, bytes: size, count }) {
  const address = kind === "asset" ? routes.asset(id) : kind === "channel" ? routes.channel(id) : "#/played";
  const note = {
    asset: "library", channel: "channel", file: "played file", stream: "played stream",
    parts: counted(count ?? 0, "played segment")
  }[kind];
  return make("li", {},
    make("i", { data: { kind: categoryOf(kind) } }),
    make("span", {}, make("a", { href: address }, name), from && make("span.address", {}, from)),
    make("span.hint", {}, note), make("b", {}, bytes(size)));
}

function nextRow({ url, bytes: size, lastUsed }) {
  return make("li", {},
    make("span", { title: url }, titleFrom(url), make("span.address", {}, folderOf(url))),
    make("span.hint", {}, `used ${ago(Date.parse(lastUsed))}`), make("b", {}, bytes(size)));
}

/** @param {() => void} changed called when an action has ended, even if it failed */
function maintenanceControls(changed) {
  const repair = check("Repair damaged files");
  const result = make("p", { id: "storage-result", role: "status" });
  const findings = make("ul.findings", { role: "list", hidden: true });

  const button = (label, busy, work) => {
    const element = make("button.quiet", { type: "button" }, label);
    element.addEventListener("click", async () => {
      if (element.getAttribute("aria-disabled")) return;
      element.setAttribute("aria-disabled", "true");
      findings.hidden = true;
      updateText(result, busy);
      try {
        updateText(result, await work());
      } catch (error) {
        updateText(result, sentence(error.message));
      } finally {
        element.removeAttribute("aria-disabled");
        changed();
      }
    });
    return element;
  };

  const prune = button("Apply limits now", "Applying the limits…", async () => {
    const { bytesFreed } = await api.prune();
    return bytesFreed ? `Removed ${bytes(bytesFreed)}.` : "The cache is within its limits. Nothing was removed.";
  });
  const verify = button("Check the cache", "Comparing all cached data with its checksums…", async () => {
    const repairs = repair.input.checked;
    const found = await api.verify(repairs);
    showFindings(findings, found.findings);
    const checked = `Checked ${counted(found.resources, "resource")} (${bytes(found.bytes)})`;
    const left = found.findings.filter(({ isRepaired }) => !isRepaired).length;
    if (left) reportProblem("verify",
      repairs
        ? `${counted(left, "damaged range")} couldn’t be downloaded again. Check whether the origins are reachable, and check the disk.`
        : `The cache has ${counted(left, "damaged range")}. Check it again with “Repair damaged files”, and check the disk.`,
      { label: "Storage", href: "#/storage" });
    else dismissProblem("verify");
    if (!found.findings.length) return `${checked}: no damage found.`;
    const outcome = left ? " found" : " found and downloaded again";
    return `${checked}: ${counted(found.findings.length, "damaged range")}${outcome}.`;
  });
  return make("div.maintenance", {}, make("div.buttons", {}, prune, verify, repair.label), result, findings);
}

function showFindings(list, findings) {
  list.hidden = findings.length === 0;
  list.replaceChildren(...findings.slice(0, 50).map(({ key, start, end, problem, isRepaired }) => make("li", {},
    `${nameOf(key)}, ${bytes(end - start)} at offset ${bytes(start)}: ${sentence(problem)}${isRepaired ? " It was downloaded again." : ""}`)));
}
