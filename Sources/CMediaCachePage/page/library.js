// The view of the library, a grid of assets.

import { routes } from "./address.js";
import { buildCard, showCover, updateCard } from "./card.js";
import { arrange, make, oncePerFrame, updateAttribute, updateText } from "./elements.js";
import { clock, counted, distinguishingLabels, nameOf } from "./format.js";
import { makeSelection } from "./selection.js";
import { assets } from "./store.js";
import { isComplete, searchTextOf, titleOf } from "./words.js";

const compare = (one, other) => one.localeCompare(other, undefined, { numeric: true });

/** Orders songs by artist, album, disc and track, before items without an artist. */
function byArtist(one, other) {
  const artist = (record) => record.albumArtist ?? record.artist ?? "";
  return !artist(one) - !artist(other) || compare(artist(one), artist(other)) || compare(one.album ?? "", other.album ?? "")
    || (one.disc ?? 0) - (other.disc ?? 0) || (one.track ?? 0) - (other.track ?? 0)
    || compare(titleOf(one), titleOf(other));
}

const orders = {
  // The server's times are in whole seconds.
  newest: ["Newest first", (one, other) => other.created.localeCompare(one.created) || assets.rank(other.id) - assets.rank(one.id)],
  title: ["Title", (one, other) => compare(titleOf(one), titleOf(other))],
  artist: ["Artist", byArtist],
  size: ["Largest first", (one, other) => (other.bytes ?? 0) - (one.bytes ?? 0)],
  played: ["Recently played first", (one, other) => (other.lastPlayed ?? "").localeCompare(one.lastPlayed ?? "")],
  duration: ["Longest first", (one, other) => (other.duration ?? 0) - (one.duration ?? 0)],
};

// URLs of songs may have no extension, but films have no album.
const isMusic = ({ kind, url, album }) => kind === "file"
  && (/\.(mp3|m4a|m4b|aac|flac|ogg|oga|opus|wav)$/i.test(nameOf(url)) || (album !== undefined && !/\.(mp4|m4v|mov)$/i.test(nameOf(url))));
const filters = {
  all: ["Everything", () => true],
  complete: ["Complete", isComplete],
  partial: ["Incomplete", (record) => !isComplete(record)],
  video: ["Video files", (record) => record.kind === "file" && !isMusic(record)],
  music: ["Music", isMusic],
  unwatched: ["Not watched", ({ watched }) => !watched],
  streams: ["Streams", ({ kind }) => kind === "stream"],
};

/** The current order, filter and search text, which last until the page is reloaded or closed. */
const chosen = { order: "newest", filter: "all", text: "" };

/** The beginning of the name of a filter for a tag. */
const tagPrefix = "tag:";

/** Returns the condition of a filter. */
function filterOf(name) {
  if (!name.startsWith(tagPrefix)) return filters[name][1];
  return ({ tags }) => tags?.includes(name.slice(tagPrefix.length)) ?? false;
}

/** Offers a filter for each tag. The current filter stays chosen, unless no item has its tag any more. */
function showTags(input, group) {
  const tags = [...new Set(assets.all.flatMap((record) => record.tags ?? []))].sort(compare);
  if (group.dataset.tags === JSON.stringify(tags) && group.isConnected === tags.length > 0) return;
  group.dataset.tags = JSON.stringify(tags);
  group.replaceChildren(...tags.map((tag) => make("option", { value: tagPrefix + tag }, tag)));
  if (tags.length) input.append(group);
  else group.remove();
  if (chosen.filter.startsWith(tagPrefix) && !tags.includes(chosen.filter.slice(tagPrefix.length))) chosen.filter = "all";
  input.value = chosen.filter;
}

/** The maximum numbers of cards that are built in the first frame, enough to fill a screen, and in each later frame. */
const cardsPerFrame = { first: 100, later: 500 };

export function libraryView({ main, signal }) {
  const search = make("input", {
    type: "search", "aria-label": "Search the library", placeholder: "Search", value: chosen.text,
  });
  const order = select("Sort by", orders, chosen.order);
  const filter = select("Show", filters, chosen.filter);
  const tagOptions = make("optgroup", { label: "Tags" });
  const list = make("ul.grid", { "aria-label": "Items", role: "list" });
  const sum = make("p.hint", { role: "status" });
  const empty = make("div.empty");
  const begun = make("section.begun", { "aria-labelledby": "begun", hidden: true },
    make("h2", { id: "begun" }, "Continue watching"), make("div.strip"));
  const [rows, begunRows] = [new Map(), new Map()];
  const selection = makeSelection(list);
  /** The items to show, in order, and the labels that distinguish items with the same title. */
  let [ids, labels] = [[], new Map()];

  main.append(
    make("header.view-head", {}, make("h1", {}, "Library"),
      make("div.tools", {}, search, filter.label, order.label, selection.start)),
    sum, selection.element, begun, list, empty);

  const layOut = oncePerFrame(() => {
    if (signal.aborted) return;
    const words = chosen.text.toLowerCase().split(/\s+/).filter(Boolean);
    showTags(filter.input, tagOptions);
    const shown = assets.all
      .filter(filterOf(chosen.filter))
      .filter((record) => words.every((word) => searchTextOf(record).includes(word)))
      .sort(orders[chosen.order][1]);
    showBegun(begun, begunRows, chosen.text || chosen.filter !== "all" ? [] : assets.all);
    ids = shown.map(({ id }) => id);
    labels = distinguishingLabels(assets.all.map((record) => ({ key: record.id, title: titleOf(record), url: record.url })));
    for (const [id, row] of rows) if (assets.get(id)) updateCard(row, assets.get(id), labels.get(id) ?? "");
    const all = assets.records.size;
    updateText(sum, !all ? "" : shown.length === all ? counted(all, "item") : `${shown.length} of ${counted(all, "item")}`);
    showEmpty(empty, all, shown.length);
    showCards();
  });

  /** Arranges the cards. Builds the missing ones in several frames, because thousands would block the page. */
  function showCards() {
    if (signal.aborted) return;
    const isFirst = rows.size === 0;
    let left = isFirst ? cardsPerFrame.first : cardsPerFrame.later;
    const built = ids.filter((id) => assets.get(id) && (rows.has(id) || left-- > 0));
    arrange(list, rows, built, (id) => buildCard(assets.get(id), labels.get(id)));
    list.setAttribute("aria-busy", String(left < 0));
    if (left < 0) showMoreCards();
    if (isFirst || left >= 0) selection.show();
  }
  const showMoreCards = oncePerFrame(showCards);

  assets.watch((id) => {
    if (id === null) {
      for (const [name, row] of rows) if (assets.get(name)) updateCard(row, assets.get(name));
      return layOut();
    }
    const [record, row] = [assets.get(id), rows.get(id)];
    const isRenamed = record && row?.querySelector("h2").textContent !== titleOf(record);
    if (record && row) updateCard(row, record);
    if (begunRows.has(id) || record?.position) layOut();
    // Other changes don't move rows, so that a list sorted by size is stable while downloads progress.
    if (!record || !row || isRenamed || chosen.filter !== "all" || ["title", "artist"].includes(chosen.order)) layOut();
  }, signal);
  search.addEventListener("input", () => { chosen.text = search.value; layOut(); });
  order.input.addEventListener("change", () => { chosen.order = order.input.value; layOut(); });
  filter.input.addEventListener("change", () => { chosen.filter = filter.input.value; layOut(); });
  layOut();
  return "Library";
}

/** The maximum number of items to continue. */
const maximumBegun = 12;

/** Shows the items that have been played to a position, most recently played first. */
function showBegun(section, rows, records) {
  const all = records.filter(({ position }) => position)
    .sort((one, other) => (other.positionChanged ?? "").localeCompare(one.positionChanged ?? "")).slice(0, maximumBegun);
  section.hidden = all.length === 0;
  arrange(section.querySelector(".strip"), rows, all.map(({ id }) => id), (id) => make("a.begun-item", { href: routes.asset(id) },
    make("span.cover", {}, make("span.letters", { "aria-hidden": "true" }), make("i.watched-bar", { hidden: true })),
    make("span.begun-title"), make("span.hint")));
  for (const record of all) {
    const row = rows.get(record.id);
    const title = titleOf(record);
    const left = record.duration ? `${clock(record.duration - record.position)} left` : `At ${clock(record.position)}`;
    updateAttribute(row, "aria-label", `Continue ${title}, ${left}`);
    updateText(row.querySelector(".begun-title"), title);
    updateText(row.querySelector(".hint"), left);
    showCover(row, record);
  }
}

function select(label, choices, value) {
  const input = make("select", {},
    ...Object.entries(choices).map(([key, [text]]) => make("option", { value: key, selected: key === value }, text)));
  return { input, label: make("label.inline", {}, make("span", {}, label), input) };
}

function showEmpty(empty, all, shown) {
  empty.hidden = shown > 0;
  if (shown > 0) return;
  empty.replaceChildren(...(all > 0
    ? [make("p", {}, "No matches.")]
    : [
      make("h2", {}, "Your library is empty"),
      make("p", {},
        "Paste the URL of a video, a song or a stream into the field at the top. You can check its type and size before anything is downloaded."
      ),
      make("p", {},
        "Media that your players stream through the cache is listed under ", make("a", { href: "#/played" }, "Played"), "."
      ),
    ]));
}
