// The programmes of a channel, which are exempt from its limits, and their exports.

import { localURL } from "./address.js";
import { api } from "./api.js";
import { check, confirm, field, showDialog } from "./dialogs.js";
import { arrange, make, updateAttribute, updateText } from "./elements.js";
import { bytes, counted, fieldTime, fileName, moment, percent, words } from "./format.js";
import { notify, reportError } from "./notices.js";
import { channels } from "./store.js";

const formats = { mp4: "MP4", hls: "HLS", "3gp": "3GP" };

/**
 * Creates the list of a channel's programmes.
 *
 * @param {{name: string, record: () => Object, clip: Object, watch: (at: number) => void}} options `watch` starts
 *   playback at a time
 */
export function makeProgrammes({ name, record, clip, watch }) {
  const list = make("ul.rows", { "aria-label": "Programmes", role: "list" });
  const title = make("h2.section", {}, "Programmes");
  const element = make("section", {}, title, list);
  const rows = new Map();
  clip.add(make("button.quiet", { type: "button", on: { click: () => askForProgramme(name, clip) } }, "Save programme"));

  const find = (id) => record()?.programmes.find((programme) => programme.id === id);
  return {
    element,
    show() {
      const all = [...(record()?.programmes ?? [])].sort((one, other) => other.from - one.from);
      element.hidden = all.length === 0;
      arrange(list, rows, all.map(({ id }) => id), (id) => build(name, () => find(id), watch));
      for (const programme of all) show(rows.get(programme.id), programme, name);
    },
  };
}

function askForProgramme(name, clip) {
  const chosen = clip.range();
  const label = make("input", { type: "text", required: true, maxlength: 200, placeholder: "Evening news" });
  const [from, to] = [chosen?.from, chosen?.to].map((at) => make("input",
    { type: "datetime-local", step: 1, required: true, value: at && fieldTime(at) }));
  const boxes = Object.entries(formats).map(([format, text]) => ({ format, ...check(text, { checked: format === "mp4" }) }));
  showDialog({
    title: "Save programme",
    content: [
      make("p.hint", {}, "A programme remains until you delete it, regardless of the channel’s limits. Its time range can be in the future."),
      field("Name", label), make("div.fields", {}, field("From", from), field("To", to)),
      make("fieldset", {}, make("legend", {}, "When it ends, export it as"), ...boxes.map((box) => box.label),
        make("p.hint", {}, "3GP requires ffmpeg on the server.")),
    ],
    buttons: [{
      label: "Save", kind: "main",
      act: async () => {
        const [begin, end] = [new Date(from.value).getTime(), new Date(to.value).getTime()];
        if (!(end > begin)) throw new Error("The end must be after the start.");
        const programme = await api.addProgramme(name, {
          name: label.value.trim(), from: String(begin), to: String(end),
          formats: boxes.filter((box) => box.input.checked).map((box) => box.format),
        });
        put(name, programme);
        notify(`Saved the programme “${programme.name}”.`);
      },
    }, { label: "Cancel" }],
  });
  label.focus();
}

/** Adds a programme to the record of its channel, or replaces it. */
function put(name, programme) {
  const known = channels.get(name)?.programmes ?? [];
  channels.change(name, { programmes: [...known.filter(({ id }) => id !== programme.id), programme] });
}

function build(name, find, watch) {
  const programme = find();
  const button = (label, act) => make("button.quiet.small",
    { type: "button", "aria-label": `${label} ${programme.name}`, on: { click: act } }, label);
  const missing = Object.keys(formats).map((format) => make("button.quiet.small", {
    type: "button", data: { export: format }, "aria-label": `Export ${programme.name} as ${formats[format]}`,
    on: { click: () => begin(name, find(), format) },
  }, `Export as ${formats[format]}`));
  return make("li.row.programme", { data: { id: programme.id } },
    make("div.row-body", {}, make("h3", {}, programme.name), make("p.row-state"),
      make("ul.exports", { role: "list", "aria-label": `Exports of ${programme.name}` })),
    make("div.row-actions", {},
      button("Watch", () => watch(find().from)), ...missing, button("Delete programme", () => remove(name, find()))));
}

function show(row, programme, name) {
  updateText(
    row.querySelector(".row-state"),
    `${moment(programme.from)} to ${moment(programme.to)}, ${words((programme.to - programme.from) / 1000)}${programme.from > Date.now() ? " · upcoming" : programme.to > Date.now() ? " · in progress" : ""}`
  );
  for (const button of row.querySelectorAll("[data-export]")) {
    button.hidden = programme.exports.some(({ format }) => format === button.dataset.export);
  }
  const list = row.querySelector(".exports");
  const key = JSON.stringify(programme.exports);
  if (list.dataset.key === key) return;
  updateAttribute(list, "data-key", key);
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...programme.exports.map((one) => exportRow(name, programme, one)));
  if (focused) (list.querySelector("a, button") ?? row.querySelector("button:not([hidden])"))?.focus();
}

function exportRow(name, programme, one) {
  const label = `${formats[one.format]} of ${programme.name}`;
  const button = (text, act, name = `${text} ${label}`) => make("button.quiet.small",
    { type: "button", "aria-label": name, on: { click: act } }, text);
  const row = make("li", { data: { format: one.format, state: one.state } },
    make("span", {}, `${formats[one.format]}: ${stateOf(one)}`));
  if (one.state === "done") {
    row.append(make("a.button.quiet.small", {
      href: localURL(one.url), "aria-label": label, download: one.format === "hls" ? null : `${fileName(programme.name)}.${one.format}`,
    }, one.format === "hls" ? "Playlist" : "Save"), button(`Delete ${formats[one.format]}`, () => end(name, programme, one.format), `Delete ${label}`));
  } else if (one.state === "failed" || one.state === "cancelled") {
    row.append(button("Try again", () => begin(name, programme, one.format)));
  } else row.append(button("Cancel", () => end(name, programme, one.format)));
  return row;
}

function stateOf({ state, progress, bytes: size, missing, reason }) {
  const gaps = missing ? `, ${counted(missing, "segment")} missing` : "";
  switch (state) {
    case "waiting": return "waiting";
    case "running": return `exporting, ${percent(Math.min(progress, 0.99))}`;
    case "done": return `done, ${bytes(size)}${gaps}`;
    case "failed": return `failed: ${reason ?? "unknown error"}`;
    default: return "cancelled";
  }
}

async function begin(name, programme, format) {
  try {
    put(name, await api.startExport(name, programme.id, format));
  } catch (error) {
    reportError(`“${programme.name}” can’t be exported`, error);
  }
}

async function end(name, programme, format) {
  try {
    await api.endExport(name, programme.id, format);
    channels.refresh(name);
  } catch (error) {
    reportError("The export can’t be cancelled or deleted", error);
  }
}

function remove(name, programme) {
  confirm({
    title: `Delete “${programme.name}”?`,
    text: "This also deletes its exports. The channel keeps the part of the recording that is within its limits.",
    yes: "Delete",
    act: async () => {
      await api.removeProgramme(name, programme.id);
      channels.change(name, { programmes: channels.get(name).programmes.filter(({ id }) => id !== programme.id) });
      notify(`Deleted “${programme.name}”.`);
    },
  });
}
