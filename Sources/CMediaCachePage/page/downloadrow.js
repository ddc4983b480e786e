// The row of a download in the list.

import { routes } from "./address.js";
import { api } from "./api.js";
import { showDialog } from "./dialogs.js";
import { make, updateAttribute, updateText } from "./elements.js";
import { clock, counted, fullTitle, nameOf, percent } from "./format.js";
import { icon } from "./icons.js";
import { notify, reportError } from "./notices.js";
import { removeAsset } from "./removal.js";
import { assets, downloads } from "./store.js";
import { progressOf, shareOf, titleOf } from "./words.js";

/** The actions of a download, with the states in which they are available. */
const actions = [
  {
    name: "pause", label: "Pause", states: ["running", "queued", "waiting"],
    act: (id) => change(id, "paused", "The download can’t be paused")
  },
  { name: "resume", label: "Resume", states: ["paused"], act: (id) => change(id, "running", "The download can’t be resumed") },
  {
    name: "finish", label: "Finish now", states: ["running"], applies: isGrowing,
    act: (id) => change(id, "finished", "The download can’t be finished")
  },
  {
    name: "retry", label: "Try again",
    states: ["failed", "completeWithHoles", "waiting"],
    act: (id) => change(id, "running", "The download can’t be retried")
  },
  { name: "holes", label: "Show missing segments", between: " in ", states: ["completeWithHoles"], act: showHoles },
  { name: "cancel", label: "Cancel", states: ["running", "queued", "waiting", "paused"], act: cancel },
  { name: "remove", label: "Remove", states: ["complete", "completeWithHoles", "failed"], act: removeAsset },
];

/** Returns whether a download follows a stream without a known end. Such a download can be finished at any time. */
function isGrowing({ kind, duration, parts }) { return kind === "stream" && !duration && parts > 0; }

/** Creates a download's row. @param {boolean} isOpen whether the download is in the queue and can be moved */
export function buildDownloadRow(record, isOpen) {
  const { id } = record;
  const handle = isOpen && make("button.handle", {
    type: "button", data: { handle: "" }, "aria-description": "Press the up or down arrow key to move it, or drag it.",
  }, icon("grip"));
  const buttons = actions.map(({ name, label, act }) => make("button.quiet.small",
    { type: "button", data: { act: name }, on: { click: () => act(id) } }, label));
  const row = make("li.row", { data: { id } },
    handle,
    make("div.row-body", {},
      make("div.row-head", {}, make("h2"),
        make("a.link", { href: routes.asset(id) }, icon("play"), make("span", {}, "Play"))),
      make("p.address.from"),
      make("div.progress", { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, make("i")),
      make("p.row-state")),
    make("div.row-actions", {}, ...buttons));
  updateDownloadRow(row, record);
  return row;
}

/**
 * Updates a row to show a record.
 *
 * @param {string} [from] the label that distinguishes it from downloads with the same title; the current one by default
 */
export function updateDownloadRow(row, record, from = row.querySelector(".from").textContent) {
  const title = titleOf(record);
  const full = fullTitle(title, from);
  if (row.dataset.title !== full) {
    row.dataset.title = full;
    updateText(row.querySelector("h2"), title);
    updateText(row.querySelector(".from"), from);
    updateAttribute(row.querySelector("a"), "aria-label", `Play ${full}`);
    updateAttribute(row.querySelector("[role=progressbar]"), "aria-label", `Progress of ${full}`);
    const handle = row.querySelector(".handle");
    if (handle) updateAttribute(handle, "aria-label", `Move ${full}`);
    for (const { name, label, between = " " } of actions) updateAttribute(
      row.querySelector(`[data-act=${name}]`), "aria-label", `${label}${between}${full}`);
  }
  const share = shareOf(record);
  const bar = row.querySelector("[role=progressbar]");
  // Screen readers announce a progress bar without a value as indeterminate.
  updateAttribute(bar, "aria-valuenow", share === null ? null : Math.floor(share * 100));
  updateAttribute(bar, "aria-valuetext", share === null ? null : percent(share));
  bar.style.setProperty("--share", share ?? 0);
  bar.hidden = record.state === "complete";
  // A download that failed before its first byte has nothing to play.
  row.querySelector("a").hidden = record.state === "failed" && !record.bytes;
  updateText(row.querySelector(".row-state"), progressOf(record));
  updateAttribute(row, "data-state", record.state);
  let losesFocus = false;
  for (const { name, states, applies } of actions) {
    const button = row.querySelector(`[data-act=${name}]`);
    const isShown = states.includes(record.state) && (!applies || applies(record));
    losesFocus ||= !isShown && button === document.activeElement;
    button.hidden = !isShown;
  }
  if (losesFocus) (row.querySelector(".row-actions button:not([hidden])") ?? row.querySelector("a")).focus();
}

async function change(id, state, failure) {
  try {
    downloads.put(await api.changeDownload(id, { state }));
  } catch (error) {
    reportError(failure, error);
  }
}

function cancel(id) {
  const title = titleOf(downloads.get(id));
  const end = (keepsData) => async () => {
    await api.cancelDownload(id, keepsData);
    downloads.remove(id);
    if (keepsData) assets.refresh(id);
    else assets.remove(id);
    notify(`Cancelled the download of “${title}”.`);
  };
  showDialog({
    title: `Cancel “${title}”?`,
    content: [make("p", {}, "If you keep the downloaded data, you can still play it, and a later download continues from it. It may be removed when a limit is reached.")],
    buttons: [
      { label: "Cancel and keep the data", kind: "main", act: end(true) },
      { label: "Cancel and delete the data", kind: "danger", act: end(false) },
      { label: "Don’t cancel" },
    ],
    kind: "narrow",
  });
}

async function showHoles(id) {
  let record;
  try {
    record = await api.download(id);
  } catch (error) {
    return reportError("The missing segments can’t be listed", error);
  }
  const holes = record.holes ?? [];
  const most = 200;
  showDialog({
    title: `Missing in “${titleOf(record)}”`,
    content: [
      make("p", {},
        `${counted(record.holeCount, "segment")} couldn’t be downloaded. The rest can be played. “Try again” requests the missing segments again.`
      ),
      make("div.scroll", { tabindex: 0, role: "region", "aria-label": "Missing segments" }, make("table", {},
        make("thead", {}, make("tr", {}, ...["Time", "Duration", "File", "Reason"].map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, ...holes.slice(0, most).map((hole) => make("tr", {},
          make("td", {}, clock(hole.start)), make("td", {}, hole.duration ? `${hole.duration.toFixed(1)} s` : ""),
          make("td", {}, nameOf(hole.url)), make("td", {}, hole.reason)))))),
      holes.length > most && make("p.hint", {}, `And ${holes.length - most} more.`),
    ].filter(Boolean),
    buttons: [
      { label: "Try again", kind: "main", act: () => change(id, "running", "The download can’t be retried") },
      { label: "Close" }
    ],
  });
}
