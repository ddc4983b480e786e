// The view that lists the channels.

import { routes } from "./address.js";
import { api } from "./api.js";
import { field, showDialog } from "./dialogs.js";
import { arrange, make, oncePerFrame, updateAttribute, updateText } from "./elements.js";
import { moment } from "./format.js";
import { channelNameField, channelNameFor, retentionFields, setState, showStartOrStop } from "./recording.js";
import { go } from "./router.js";
import { channels } from "./store.js";
import { channelState, channelSums, limitsOf } from "./words.js";

export function channelsView({ main, signal }) {
  const list = make("ul.rows", { "aria-label": "Channels", role: "list" });
  const empty = make("div.empty", {}, make("h2", {}, "No channels"),
    make("p", {},
      "A channel records a live stream, so that you can replay any part of it. Paste the URL of a live stream into the field at the top, or add a channel here."
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
  const button = (label, state) => make("button.quiet.small", {
    type: "button", "aria-label": `${label} ${name}`, data: { act: state }, on: { click: () => setState(name, state) },
  }, label);
  return make("li.row", { data: { name } },
    make("div.row-body", {},
      make("div.row-head", {},
        make("h2", {}, make("a", { href: routes.channel(name), "aria-label": `Open ${name}` }, name)),
        make("span.badge")),
      make("p.row-state"), make("p.hint"), make("p.address")),
    make("div.row-actions", {}, button("Start", "recording"), button("Stop", "stopped")));
}

function show(row, record) {
  const [badge, sums, limits, address] = row.querySelectorAll(".badge, .row-state, .hint, .address");
  updateText(badge, record.state === "waiting" ? "Waiting" : channelState(record));
  updateAttribute(badge, "data-state", record.state);
  updateText(sums, record.state === "waiting" ? channelState(record) : channelSums(record));
  updateText(limits, [
    limitsOf(record.retention),
    record.recordedRanges.length && `recorded since ${moment(record.recordedRanges[0].from)}`,
    record.endsAt && `ends ${moment(Date.parse(record.endsAt))}`,
  ].filter(Boolean).join(" · "));
  updateText(address, record.url);
  const [start, stop] = row.querySelectorAll("[data-act]");
  showStartOrStop(start, stop, record);
}

function addChannel() {
  const placeholder = "https://example.org/live.m3u8";
  const url = make("input", { type: "url", required: true, spellcheck: "false", placeholder });
  const { input: name, label: nameField } = channelNameField();
  const retentionForm = retentionFields();
  let isTyped = false;
  name.addEventListener("input", () => { isTyped = true; });
  url.addEventListener("input", () => { if (!isTyped) name.value = url.value ? channelNameFor(url.value) : ""; });
  showDialog({
    title: "Add a channel",
    content: [
      field("URL of the live stream", url),
      nameField,
      make("div.fields", {}, ...retentionForm.elements)
    ],
    buttons: [{
      label: "Record", kind: "main",
      act: async () => {
        const channel = await api.addChannel({ name: name.value, url: url.value.trim(), retention: retentionForm.retention() });
        channels.put(channel);
        go(routes.channel(channel.name));
      },
    }, { label: "Cancel" }],
  });
  url.focus();
}
