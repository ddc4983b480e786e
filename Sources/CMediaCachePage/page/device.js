// The page on another device. It has the library token from its address instead of the API key, and lists and plays the
// library's items. It changes nothing on the server.

import { serverURL } from "./address.js";
import { requireOK } from "./api.js";
import { hueOf, lettersOf } from "./card.js";
import { showItem } from "./deviceplayer.js";
import { arrange, make, oncePerFrame, updateAttribute, updateText } from "./elements.js";
import { clock, counted, percent } from "./format.js";
import { askForKey } from "./key.js";

const storageKey = "mediacache.token";
const refreshInterval = 15_000;
/** The number of items from which the list has a search field. */
const searchableCount = 12;

const connection = document.getElementById("connection");
const main = document.getElementById("main");

/** The tokens to try, the one from the address first. */
let candidates = [];
/** The token that the server accepted. */
let token = null;
/** The items, newest first; null until they have been read. */
let items = null;
let view = null;
let isInvalid = false;
let isReading = false;

const storedToken = () => { try { return localStorage.getItem(storageKey); } catch { return null; } };

function storeToken(value) {
  try {
    if (value === null) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, value);
  } catch { /* private windows have no storage */ }
}

/**
 * Takes the token after `#token=` from the address, and removes it from the address bar and the history.
 *
 * @returns {boolean} whether this token or one from an earlier visit is known
 */
export function acceptTokenFromAddress() {
  const found = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (location.hash.startsWith("#token=")) history.replaceState(null, "", location.pathname + location.search);
  candidates = [...new Set([found, storedToken()])].filter(Boolean);
  return candidates.length > 0;
}

/** Shows the library. Requires a known token. */
export async function startDevice() {
  addEventListener("hashchange", show);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
  setInterval(() => { if (!document.hidden) refresh(); }, refreshInterval);
  await refresh();
}

/** Reads the items again. The view is shown when they are first read. */
async function refresh() {
  if (isInvalid || isReading) return;
  isReading = true;
  try {
    const found = await readItems();
    updateText(connection, "");
    const isFirst = items === null;
    items = found;
    if (isFirst) show();
    else view?.update();
  } catch (error) {
    if (error.status === 403 || error.status === 404) return showInvalid();
    updateText(connection, "The server isn’t responding. This page reconnects automatically.");
  } finally {
    isReading = false;
  }
}

/** Returns the complete list, and stores the first token that the server accepts. */
async function readItems() {
  if (token !== null) return readList(token);
  for (;;) {
    try {
      const found = await readList(candidates[0]);
      [token] = candidates;
      storeToken(token);
      return found;
    } catch (error) {
      // Any site can link here with a wrong token, so it doesn't replace the one from an earlier visit.
      if (error.status !== 403 || candidates.length === 1) throw error;
      candidates.shift();
    }
  }
}

async function readList(key) {
  const base = serverURL(`k/${key}/items`);
  const found = [];
  let after = null;
  do {
    const response = await fetch(after === null ? base : `${base}?after=${encodeURIComponent(after)}`, { cache: "no-store" });
    const page = await (await requireOK(response)).json();
    found.push(...page.items.map((item) => ({ ...item, folder: new URL(item.path, base).href })));
    after = page.next ?? null;
  } while (after !== null);
  return found;
}

function showInvalid() {
  // The stored token may become valid again, when the server is started with --lan.
  isInvalid = true;
  view?.end();
  view = null;
  main.className = "view-key";
  main.replaceChildren(make("div.empty", {},
    make("h1", {}, "This address is no longer valid"),
    make("p", {}, "On the computer, ", make("code", {}, "mediacache token code"), " prints the current code; scan it. If the server runs without ", make("code", {}, "--lan"), ", restart it as ", make("code", {}, "mediacache serve --lan"), ", and reload this page."),
    make("p", {}, make("button.quiet", { type: "button", on: { click: () => askForKey(false) } }, "Enter the API key instead"))));
  document.title = "MediaCache";
  updateText(connection, "");
}

const addressOf = (item) => `#/item/${item.kind}/${encodeURIComponent(item.id)}`;

/** Shows the view for the address: an item, or the list. */
function show() {
  if (location.hash.startsWith("#token=") || items === null) return;
  const isFirst = view === null;
  view?.end();
  const address = location.hash;
  const current = () => items.find((item) => addressOf(item) === address);
  const item = current();
  main.replaceChildren();
  scrollTo(0, 0);
  main.className = item ? "view-play" : "view-library";
  const abort = new AbortController();
  const title = item ? showItem({ main, item, isFinished: () => current()?.isFinished ?? true, signal: abort.signal }) : "Library";
  view = { update: item ? () => {} : showList(), end: () => abort.abort() };
  document.title = `${title} – MediaCache`;
  // The link that had the focus is gone. The player moves the focus to its heading.
  if (!item && !isFirst) main.focus({ preventScroll: true });
}

/** Shows the list, and returns a function that updates it. */
function showList() {
  const search = make("input", { type: "search", "aria-label": "Search the library", placeholder: "Search" });
  const list = make("ul.grid", { "aria-label": "Items", role: "list" });
  const empty = make("div.empty", { hidden: true });
  const sum = make("p.hint", { role: "status" });
  const rows = new Map();
  main.append(
    make("header.view-head", {}, make("h1", {}, "Library"), make("div.tools", {}, search)), list, empty, sum);

  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = items.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
    // Channels come first.
    const ordered = [...found.filter(({ kind }) => kind === "channel"), ...found.filter(({ kind }) => kind !== "channel")];
    const byAddress = new Map(ordered.map((item) => [addressOf(item), item]));
    arrange(list, rows, [...byAddress.keys()], (address) => makeCard(byAddress.get(address)));
    for (const [address, row] of rows) updateCard(row, byAddress.get(address));
    search.hidden = items.length < searchableCount && !search.value;
    empty.hidden = found.length > 0;
    updateText(empty, items.length ? "No matches." : "There is nothing to play yet. Downloads and recordings appear here.");
    updateText(sum, found.length ? counted(found.length, "item") : "");
  };
  search.addEventListener("input", oncePerFrame(update));
  update();
  return update;
}

function makeCard(item) {
  return make("li.card", { data: { id: item.id } },
    make("a.cover", { href: addressOf(item) }, make("span.letters", { "aria-hidden": "true" }), make("span.length")),
    make("div.card-text", {}, make("h2"), make("p.card-state"), make("div.card-progress", { hidden: true }, make("i"))));
}

function updateCard(card, item) {
  const cover = card.querySelector(".cover");
  updateText(card.querySelector("h2"), item.title);
  updateAttribute(cover, "aria-label", `Play ${item.title}`);
  updateText(card.querySelector(".letters"), lettersOf(item.title));
  card.style.setProperty("--hue", hueOf(item.title));
  updateText(card.querySelector(".length"), item.duration ? clock(item.duration) : "");
  updateText(card.querySelector(".card-state"), stateOf(item));
  const share = item.isFinished ? null : item.cachedShare ?? null;
  const progress = card.querySelector(".card-progress");
  progress.hidden = share === null;
  progress.style.setProperty("--share", share ?? 0);
  const version = item.coverChanged ?? null;
  const image = cover.querySelector("img");
  if ((image?.dataset.version ?? null) === version) return;
  image?.remove();
  if (version === null) return;
  const picture = make("img", { alt: "", loading: "lazy", decoding: "async", src: `${item.folder}cover`, data: { version } });
  picture.addEventListener("error", () => { picture.hidden = true; });
  cover.prepend(picture);
}

function stateOf({ kind, isFinished, cachedShare, holeCount }) {
  if (kind === "channel") return isFinished ? "Recording stopped" : "Live";
  if (!isFinished) return cachedShare === undefined ? "Incomplete" : `${percent(cachedShare)} cached`;
  return holeCount ? `${counted(holeCount, "segment")} missing` : "";
}
