// The view of the downloads: the queue in its order, and those that have ended.

import { api } from "./api.js";
import { buildDownloadRow, updateDownloadRow } from "./downloadrow.js";
import { arrange, make, oncePerFrame, updateText } from "./elements.js";
import { bytes, counted, distinguishingLabels, rate } from "./format.js";
import { notify, reportError } from "./notices.js";
import { startReordering } from "./reordering.js";
import { downloads } from "./store.js";
import { isEnded, titleOf } from "./words.js";

export function downloadsView({ main, signal }) {
  const pause = make("button.quiet", { type: "button", on: { click: () => all("pause") } }, "Pause all");
  const resume = make("button.quiet", { type: "button", on: { click: () => all("resume") } }, "Resume all");
  const sum = make("p.hint");
  const list = make("ul.rows", { "aria-label": "Downloads", role: "list" });
  const ended = make("ul.rows", { "aria-label": "Ended", role: "list" });
  const clear = make("button.quiet.small", { type: "button", on: { click: clearComplete } }, "Clear complete");
  const endedTitle = make("header.view-head.section", {}, make("h2", {}, "Ended"), clear);
  const empty = make("div.empty", {}, make("h2", {}, "No downloads"), make("p", {},
    "Paste a URL into the field at the top and choose “Download”. Downloads continue when this page is closed."));
  const [rows, endedRows] = [new Map(), new Map()];
  /** The order after a move, until the server has confirmed or rejected it. */
  let moved = null;

  main.append(
    make("header.view-head", {}, make("h1", {}, "Downloads"), make("div.tools", {}, pause, resume)),
    sum, list, endedTitle, ended, empty);

  const layOut = oncePerFrame(() => {
    if (signal.aborted || list.querySelector(".dragged")) return;
    const open = inOrder(downloads.all.filter((record) => !isEnded(record)));
    const cleared = clearedDownloads();
    // Of downloads added within one second, the last is the newest.
    const done = downloads.all.filter((record) => isEnded(record) && !(record.state === "complete" && cleared.has(clearedName(record))))
      .reverse().sort((one, other) => other.added.localeCompare(one.added));
    if (moved) open.sort((one, other) => moved.indexOf(one.id) - moved.indexOf(other.id));
    const build = (isOpen) => (id) => buildDownloadRow(downloads.get(id), isOpen);
    arrange(list, rows, open.map(({ id }) => id), build(true));
    arrange(ended, endedRows, done.map(({ id }) => id), build(false));
    const from = distinguishingLabels(downloads.all.map((record) => ({ key: record.id, title: titleOf(record), url: record.url })));
    for (const [id, row] of [...rows, ...endedRows]) updateDownloadRow(row, downloads.get(id), from.get(id) ?? "");
    const running = open.filter(({ state }) => state === "running");
    const speed = running.reduce((total, record) => total + record.rate, 0);
    const left = open.reduce((total, record) => total + Math.max(0, (record.length ?? 0) - record.bytes), 0);
    updateText(sum, [
      open.length > 0 && `${running.length} of ${counted(open.length, "download")} running`,
      speed > 0 && rate(speed), left > 0 && `${bytes(left)} left`,
    ].filter(Boolean).join(" · "));
    pause.disabled = !open.some(({ state }) => state !== "paused");
    resume.disabled = !open.some(({ state }) => state === "paused") && !done.some(({ state }) => state === "failed");
    endedTitle.hidden = done.length === 0;
    clear.hidden = !done.some(({ state }) => state === "complete");
    empty.hidden = open.length + done.length > 0;
  });

  downloads.watch((id) => {
    for (const [name, row] of [...rows, ...endedRows]) {
      if ((id === null || id === name) && downloads.get(name)) updateDownloadRow(row, downloads.get(name));
    }
    layOut();
  }, signal);
  startReordering(list, signal, order, layOut);
  layOut();

  async function order(shown, id) {
    // Downloads may have been removed while the row was dragged.
    const ids = shown.filter((one) => downloads.get(one));
    if (!ids.includes(id)) return;
    moved = ids;
    layOut();
    notify(`“${titleOf(downloads.get(id))}” is now number ${ids.indexOf(id) + 1} of ${ids.length}.`);
    try {
      await downloads.replaceAll(async () => (await api.orderDownloads(ids)).downloads);
    } catch (error) {
      reportError("The downloads can’t be reordered", error);
    } finally {
      if (moved === ids) moved = null;
      layOut();
    }
  }

  /** Hides the complete downloads from this list. Their media remains in the library. */
  function clearComplete() {
    const complete = downloads.all.filter(({ state }) => state === "complete").map(clearedName);
    try {
      localStorage.setItem(clearedKey, JSON.stringify(complete));
      notify("Cleared the complete downloads. They remain in the library.");
    } catch {
      notify("This browser doesn’t store data for the page, so the list can’t be cleared.");
    }
    layOut();
    document.getElementById("main").focus();
  }

  async function all(action) {
    try {
      await downloads.replaceAll(async () => (await api.allDownloads(action)).downloads);
      notify(action === "pause" ? "Paused all downloads." : "Resumed all downloads.");
    } catch (error) {
      reportError(`The downloads can’t be ${action === "pause" ? "paused" : "resumed"}`, error);
    }
  }
  return "Downloads";
}

const clearedKey = "mediacache.cleared";

/**
 * The name of a download in the list of cleared ones. It contains the time, because a new download of an asset in the
 * library has the same ID.
 */
const clearedName = ({ id, added }) => `${id} ${added}`;

/** Returns the names of the downloads that the user has cleared from the list, in this browser. */
function clearedDownloads() {
  try { return new Set(JSON.parse(localStorage.getItem(clearedKey) ?? "[]")); } catch { return new Set(); }
}

/** Sorts by priority. Downloads with the same priority stay in the server's order. */
const inOrder = (records) => records.sort((one, other) => other.priority - one.priority);
