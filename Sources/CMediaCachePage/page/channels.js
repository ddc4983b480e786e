// Channels: live streams that are recorded.

import { api } from "./api.js";
import { routes } from "./address.js";
import { field, showDialog } from "./dialogs.js";
import { arrange, make, mark, oncePerFrame, say } from "./elements.js";
import { moment } from "./format.js";
import { keepFields, nameFor } from "./keeping.js";
import { notify } from "./notices.js";
import { reportError } from "./problems.js";
import { go } from "./router.js";
import { channels } from "./store.js";
import { channelState, channelSums, limitsOf } from "./words.js";

/** Shows the list of channels. */
export function channelsView({ main, signal }) {
  const list = make("ul.rows", { "aria-label": "Channels", role: "list" });
  const empty = make("div.empty", {}, make("h2", {}, "Nothing is recorded"),
    make("p", {},
      "A channel follows a live stream and keeps it, so that any moment of it plays again. Paste a live stream’s URL into the field at the top, or add a channel here."
    ));
  const rows = new Map();
  main.append(
    make("header.view-head", {}, make("h1", {}, "Channels"), make("div.tools", {},
      make("button.main", { type: "button", on: { click: addChannel } }, "Add a channel"))),
    list, empty);

  const layOut = oncePerFrame(() => {
    if (signal.aborted) return;
    const names = [...channels.records.keys()].sort((one, other) => one.localeCompare(other, undefined, { numeric: true }));
    arrange(list, rows, names, build);
    for (const [name, row] of rows) show(row, channels.get(name));
    empty.hidden = names.length > 0;
  });
  channels.watch((name) => {
    if (rows.has(name) && channels.get(name)) show(rows.get(name), channels.get(name));
    else layOut();
  }, signal);
  for (const { name } of channels.all) channels.refresh(name);
  layOut();
  return "Channels";
}

function build(name) {
  return make("li.row", { data: { name } },
    make("div.row-body", {},
      make("div.row-head", {},
        make("h2", {}, make("a", { href: routes.channel(name), "aria-label": `Open ${name}` }, name)),
        make("span.badge")
      ),
      make("p.row-state"), make("p.hint"), make("p.address")),
    make("div.row-actions", {},
      make("button.quiet.small",
        {
          type: "button", "aria-label": `Start ${name}`, data: { act: "recording" },
          on: { click: () => setState(name, "recording") }
        },
        "Start"
      ),
      make("button.quiet.small",
        {
          type: "button", "aria-label": `Stop ${name}`, data: { act: "stopped" },
          on: { click: () => setState(name, "stopped") }
        },
        "Stop"
      )));
}

function show(row, record) {
  const [badge, sums, limits, address] = row.querySelectorAll(".badge, .row-state, .hint, .address");
  say(badge, record.state === "waiting" ? "Waiting" : channelState(record));
  mark(badge, "data-state", record.state);
  say(sums, record.state === "waiting" ? channelState(record) : channelSums(record));
  say(limits,
    [
      limitsOf(record.retention),
      record.kept.length && `since ${moment(record.kept[0].from)}`,
      record.endsAt && `ends ${moment(Date.parse(record.endsAt))}`
    ].filter(Boolean).join(" · ")
  );
  say(address, record.url);
  const isOn = ["recording", "starting", "waiting"].includes(record.state);
  const [start, stop] = row.querySelectorAll("[data-act]");
  const hadFocus = [start, stop].includes(document.activeElement);
  start.hidden = isOn || record.state === "ended";
  stop.hidden = !isOn;
  if (hadFocus) (isOn ? stop : start).focus();
}

/** Starts or stops a recording. */
export async function setState(name, state) {
  try {
    channels.put(await api.changeChannel(name, { state }));
    notify(state === "recording" ? `“${name}” is being recorded.` : `“${name}” is stopped. What is kept still plays.`);
  } catch (error) {
    reportError(state === "recording" ? `“${name}” can’t be started` : `“${name}” can’t be stopped`, error);
  }
}

function addChannel() {
  const url = make("input",
    { type: "url", required: true, spellcheck: "false", placeholder: "https://example.org/live.m3u8" }
  );
  const name = make("input", { type: "text", required: true, maxlength: 64, pattern: "[A-Za-z0-9_\\-][A-Za-z0-9._\\-]*" });
  const keeping = keepFields({ seconds: 86_400 });
  let isTyped = false;
  name.addEventListener("input", () => { isTyped = true; });
  url.addEventListener("input", () => { if (!isTyped) name.value = url.value ? nameFor(url.value) : ""; });
  showDialog({
    title: "Add a channel",
    content: [
      field("URL of a live stream", url),
      field("Name of the channel", name, "Letters, digits, dots, hyphens, underscores"),
      make("div.fields", {}, ...keeping.elements)
    ],
    buttons: [{
      label: "Record", kind: "main",
      act: async () => {
        const channel = await api.addChannel({ name: name.value, url: url.value.trim(), retention: keeping.retention() });
        channels.put(channel);
        go(routes.channel(channel.name));
      },
    }, { label: "Cancel" }],
  });
  url.focus();
}
