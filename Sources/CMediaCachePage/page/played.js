// The view of media that was streamed through the cache and isn't in the library.

import { routes } from "./address.js";
import { api } from "./api.js";
import { allowPlayback } from "./consent.js";
import { cachedShare, makeCoverageBar } from "./coveragebar.js";
import { confirm } from "./dialogs.js";
import { arrange, atMostEvery, make, updateAttribute, updateText } from "./elements.js";
import { ago, bytes, counted, hostOf, titleFrom } from "./format.js";
import { icon } from "./icons.js";
import { notify, reportError } from "./notices.js";
import { assets, onEvent } from "./store.js";

export function playedView({ main, signal }) {
  const sum = make("p.hint");
  const list = make("ul.rows", { "aria-label": "Played", role: "list" });
  const empty = make("div.empty", { hidden: true }, make("h2", {}, "Nothing played yet"),
    make("p", {}, "Choose “Play now” when you add a URL, or open the URL printed by ", make("code", {}, "mediacache url"),
      " in a player. The cached parts of what you play are listed here."));
  const rows = new Map();
  let known = new Map();
  main.append(make("header.view-head", {}, make("h1", {}, "Played")), sum, list, empty);

  const read = atMostEvery(2000, async () => {
    if (signal.aborted) return;
    try {
      const found = await api.played();
      if (signal.aborted) return;
      known = new Map(found.map((one) => [String(one.id), one]));
      arrange(list, rows, [...known.keys()], (id) => build(known.get(id), signal, read));
      for (const [id, row] of rows) show(row, known.get(id));
      updateText(sum,
        found.length ? `${counted(found.length, "item")}, ${bytes(found.reduce((total, one) => total + one.bytes, 0))}` : ""
      );
      empty.hidden = found.length > 0;
    } catch (error) {
      reportError("The played media can’t be listed", error);
    }
  });
  onEvent(({ event, resource }) => {
    if (event.startsWith("resource.") && !resource?.startsWith("recording/")) read();
  }, signal);
  let count = assets.records.size;
  assets.watch(() => {
    if (assets.records.size === count) return;
    count = assets.records.size;
    read();
  }, signal);
  read();
  return "Played";
}

const bars = new WeakMap();

/** Returns whether a record contains only segments without their playlist, which can't be played. */
const isPartsOnly = ({ kind }) => kind === "parts";

const titleOf = (one) => (isPartsOnly(one) ? `Segments of a live stream from ${hostOf(one.url)}` : titleFrom(one.url));

function build(one, signal, read) {
  const title = titleOf(one);
  const bar = makeCoverageBar({ slim: true, signal });
  const button = (label, name, act) => make("button.quiet.small",
    { type: "button", "aria-label": name, on: { click: () => act(one, read) } }, label);
  const row = make("li.row", {},
    make("div.row-body", {},
      make("div.row-head", {}, make("h2", {}, title),
        !isPartsOnly(one) && make("a.link", {
          href: routes.url(one.url), "aria-label": `Play ${title}`, on: { click: () => allowPlayback(one.url) },
        }, icon("play"), make("span", {}, "Play"))),
      bar.element, make("p.row-state"), make("p.address", {}, one.url)),
    make("div.row-actions", {},
      !isPartsOnly(one) && button("Add to library", `Add ${title} to the library`, addToLibrary),
      button("Remove", `Remove ${title}`, remove)));
  bars.set(row, bar);
  return row;
}

function show(row, one) {
  bars.get(row).element.hidden = isPartsOnly(one);
  const coverage = one.kind === "stream"
    ? { total: one.segments, spans: one.segmentsCached ? [{ start: 0, end: one.segmentsCached }] : [], loading: [] }
    : { total: one.length ?? 0, spans: one.spans, loading: one.fills };
  bars.get(row).show(coverage);
  const total = totalOf(one, coverage);
  const size = [bytes(one.bytes), one.kind === "file" && total].filter(Boolean).join(" ");
  updateText(row.querySelector(".row-state"), [
    size, one.kind !== "file" && total, `played ${ago(Date.parse(one.lastUsed))}`, one.inUse && "in use",
  ].filter(Boolean).join(" · "));
  updateAttribute(row, "data-id", String(one.id));
}

/** Describes the number of segments, or the size of an incomplete file. Returns null if there is nothing to say. */
function totalOf(one, coverage) {
  if (isPartsOnly(one)) return counted(one.count, "segment");
  if (one.kind === "stream") return one.segments ? `${one.segmentsCached} of ${counted(one.segments, "segment")}` : null;
  return cachedShare(coverage) < 1 && one.length ? `of ${bytes(one.length)}` : null;
}

async function addToLibrary(one, read) {
  try {
    const asset = await api.addAsset(one.url);
    assets.put(asset);
    notify(`Added “${titleFrom(one.url)}” to the library.`);
    read();
  } catch (error) {
    reportError(`“${titleFrom(one.url)}” can’t be added to the library`, error);
  }
}

function remove(one, read) {
  const title = titleOf(one);
  const effect = isPartsOnly(one) ? "" : " Playing it again requires another download.";
  confirm({
    title: isPartsOnly(one) ? `Remove the segments from ${hostOf(one.url)}?` : `Remove “${title}”?`,
    text: `This deletes ${bytes(one.bytes)} from the disk. Data that is being played is deleted when playback ends.${effect}`,
    yes: "Remove",
    act: async () => {
      await api.removePlayed(one.id);
      notify(isPartsOnly(one) ? `Removed the segments from ${hostOf(one.url)}.` : `Removed “${title}”.`);
      read();
    },
  });
}
