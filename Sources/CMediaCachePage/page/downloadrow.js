// One download in the list.

import { inFull } from "./alike.js";
import { api } from "./api.js";
import { routes } from "./address.js";
import { showDialog } from "./dialogs.js";
import { make, mark, say } from "./elements.js";
import { clock, counted, nameOf, percent } from "./format.js";
import { icon } from "./icons.js";
import { notify } from "./notices.js";
import { reportError } from "./problems.js";
import { assets, downloads } from "./store.js";
import { progressOf, shareOf, titleOf } from "./words.js";

/** What can be done, in which states, and how. */
const actions = [
  {
    name: "pause", label: "Pause", states: ["running", "queued", "waiting"],
    act: (id) => change(id, "paused", "Downloads can’t be paused")
  },
  { name: "resume", label: "Resume", states: ["paused"], act: (id) => change(id, "running", "The download can’t go on") },
  {
    name: "finish", label: "Finish now", states: ["running"], applies: isGrowing,
    act: (id) => change(id, "finished", "It can’t be finished")
  },
  {
    name: "retry", label: "Try again",
    states: ["failed", "completeWithHoles", "waiting"],
    act: (id) => change(id, "running", "It can’t be tried again")
  },
  { name: "holes", label: "Show what is missing", between: " in ", states: ["completeWithHoles"], act: showHoles },
  { name: "cancel", label: "Cancel", states: ["running", "queued", "waiting", "paused", "failed"], act: cancel },
];

/** A stream that nobody knows the end of is followed; it can be taken as it is. */
function isGrowing({ kind, duration, parts }) { return kind === "stream" && !duration && parts > 0; }

/** Makes a download's row. @param {boolean} isOpen whether it still has a place in the order */
export function buildRow(record, isOpen) {
  const { id } = record;
  const handle = isOpen && make("button.handle", {
    type: "button", data: { handle: "" }, "aria-description": "Arrow up and arrow down move it; or drag it.",
  }, icon("grip"));
  const buttons = actions.map(({ name, label, act }) => make("button.quiet.small",
    { type: "button", data: { act: name }, on: { click: () => act(id) } }, label
  ));
  const row = make("li.row", { data: { id } },
    handle,
    make("div.row-body", {},
      make("div.row-head", {}, make("h2"),
        make("a.link", { href: routes.asset(id) }, icon("play"), make("span", {}, "Play"))
      ),
      make("p.address.from"),
      make("div.progress", { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, make("i")),
      make("p.row-state")),
    make("div.row-actions", {}, ...buttons));
  showRow(row, record);
  return row;
}

/**
 * Brings a row up to date.
 *
 * @param {string} [from] what tells it apart from others of its title; what is said of that stays where nothing is
 */
export function showRow(row, record, from = row.querySelector(".from").textContent) {
  const title = titleOf(record);
  const full = inFull(title, from);
  if (row.dataset.title !== full) {
    row.dataset.title = full;
    say(row.querySelector("h2"), title);
    say(row.querySelector(".from"), from);
    mark(row.querySelector("a"), "aria-label", `Play ${full}`);
    mark(row.querySelector("[role=progressbar]"), "aria-label", `Progress of ${full}`);
    const handle = row.querySelector(".handle");
    if (handle) mark(handle, "aria-label", `Move ${full}`);
    for (const { name, label, between = " " } of actions) mark(
      row.querySelector(`[data-act=${name}]`), "aria-label", `${label}${between}${full}`
    );
  }
  const share = shareOf(record);
  const bar = row.querySelector("[role=progressbar]");
  // A share that nobody knows has no value: screen readers say so.
  mark(bar, "aria-valuenow", share === null ? null : Math.floor(share * 100));
  mark(bar, "aria-valuetext", share === null ? null : percent(share));
  bar.style.setProperty("--share", share ?? 0);
  bar.hidden = record.state === "complete";
  say(row.querySelector(".row-state"), progressOf(record));
  mark(row, "data-state", record.state);
  let lost = false;
  for (const { name, states, applies } of actions) {
    const button = row.querySelector(`[data-act=${name}]`);
    const isShown = states.includes(record.state) && (!applies || applies(record));
    lost ||= !isShown && button === document.activeElement;
    button.hidden = !isShown;
  }
  // What had the focus is gone: its place is taken by what stands there now.
  if (lost) (row.querySelector(".row-actions button:not([hidden])") ?? row.querySelector("a")).focus();
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
  const end = (keep) => async () => {
    await api.cancelDownload(id, keep);
    downloads.remove(id);
    if (keep) assets.refresh(id);
    else assets.remove(id);
    notify(`The download of “${title}” is cancelled.`);
  };
  showDialog({
    title: `Cancel “${title}”?`,
    content: [make("p", {}, "What came can stay: it still plays, and isn’t fetched again if you download it later.")],
    buttons: [
      { label: "Cancel and keep what came", kind: "main", act: end(true) },
      { label: "Cancel and remove what came", kind: "danger", act: end(false) },
      { label: "Go on downloading" },
    ],
    kind: "narrow",
  });
}

async function showHoles(id) {
  let record;
  try {
    record = await api.download(id);
  } catch (error) {
    return reportError("What is missing can’t be read", error);
  }
  const holes = record.holes ?? [];
  const most = 200;
  showDialog({
    title: `Missing in “${titleOf(record)}”`,
    content: [
      make("p", {},
        `${counted(record.holeCount, "part")} couldn’t be had. The rest plays; “Try again” asks for them once more.`
      ),
      make("div.scroll", { tabindex: 0, role: "region", "aria-label": "Missing parts" }, make("table", {},
        make("thead", {}, make("tr", {}, ...["At", "For", "What", "Why"].map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, ...holes.slice(0, most).map((hole) => make("tr", {},
          make("td", {}, clock(hole.start)), make("td", {}, hole.duration ? `${hole.duration.toFixed(1)} s` : ""),
          make("td", {}, nameOf(hole.url)), make("td", {}, hole.reason)))))),
      holes.length > most && make("p.hint", {}, `And ${holes.length - most} more.`),
    ].filter(Boolean),
    buttons: [
      { label: "Try again", kind: "main", act: () => change(id, "running", "It can’t be tried again") },
      { label: "Close" }
    ],
  });
}
