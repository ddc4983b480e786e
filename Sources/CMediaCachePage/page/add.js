// The URL field at the top of the page, and the dialog that offers to download, record or play its URL.

import { routes } from "./address.js";
import { api, sentence } from "./api.js";
import { changeSummary, choiceSummary, trackChoice, variantChoice } from "./choices.js";
import { allowPlayback } from "./consent.js";
import { check, facts, field, showDialog } from "./dialogs.js";
import { make, updateText } from "./elements.js";
import { bytes, clock, counted, hostOf, titleFrom, withoutUser } from "./format.js";
import { notify } from "./notices.js";
import { channelNameField, channelNameFor, retentionFields } from "./recording.js";
import { go } from "./router.js";
import { assets, channels, downloads } from "./store.js";
import { stateOf, titleOf } from "./words.js";

const pattern = /^https?:\/\/\S+$/i;

/** Returns the URLs of a text if it consists of several; otherwise null. */
function listIn(text) {
  const urls = [...new Set(text.split(/\s+/).filter(Boolean))];
  return urls.length > 1 && urls.every((url) => pattern.test(url)) ? urls : null;
}

/** Sets up the URL field, and the pasting of a URL anywhere on the page. */
export function startAddField() {
  const form = document.getElementById("add");
  const input = document.getElementById("add-url");
  const error = document.getElementById("add-error");
  const button = form.querySelector("button");
  let running = null;

  async function probe() {
    const text = input.value.trim();
    reset();
    const urls = listIn(text);
    if (urls) return showListDialog(urls, () => { input.value = ""; });
    if (!text) return fail("Enter the URL of a video, a song or a stream’s playlist (.m3u8).");
    if (!pattern.test(text)) return fail("This isn’t a supported URL. Enter one that starts with http:// or https://.");
    const abort = (running = new AbortController());
    form.setAttribute("aria-busy", "true");
    updateText(button, "Checking…");
    try {
      const found = await api.probe(text, abort.signal);
      showAddDialog(found, text, () => { input.value = ""; });
    } catch (problem) {
      if (problem.name !== "AbortError") fail(problem.advice ?? sentence(problem.message));
    } finally {
      if (running === abort) {
        form.removeAttribute("aria-busy");
        updateText(button, "Add");
      }
    }
  }

  /** Removes the error, and cancels the probe in progress, since its result would belong to an earlier text. */
  function reset() {
    running?.abort();
    running = null;
    form.removeAttribute("aria-busy");
    updateText(button, "Add");
    updateText(error, "");
    input.removeAttribute("aria-invalid");
  }

  function fail(text) {
    updateText(error, text);
    input.setAttribute("aria-invalid", "true");
    input.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    probe();
  });
  input.addEventListener("input", reset);
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text").trim() ?? "";
    const isList = listIn(text) !== null;
    // The field would join the lines of a list.
    const isForField = event.target === input && isList;
    if (!isForField && event.target.closest?.("input, textarea, select, dialog")) return;
    if (document.querySelector("dialog[open]") || (!isList && !pattern.test(text))) return;
    event.preventDefault();
    input.value = listIn(text)?.join(" ") ?? text;
    if (isForField) reset();
    else probe();
  });
}

/** Shows a list of URLs and downloads them. @param {() => void} done called when the downloads have started */
function showListDialog(urls, done) {
  let rest = urls;
  const list = make("ul.scroll.urls", { tabindex: 0, "aria-label": "URLs" });
  const show = () => list.replaceChildren(...rest.map((url) => make("li.address", {}, withoutUser(url))));
  show();
  async function download() {
    const failures = [];
    for (const url of rest) {
      try {
        const record = await api.addDownload({ url });
        downloads.put(record);
        assets.refresh(record.id);
      } catch (error) {
        failures.push({ url, error });
      }
    }
    const count = rest.length - failures.length;
    if (count) notify(`Downloading ${counted(count, "item")}.`);
    rest = failures.map(({ url }) => url);
    show();
    if (failures.length) throw new Error(`${counted(failures.length, "URL")} couldn’t be added: ${failures[0].error.message}`);
    done();
    go(routes.downloads);
  }
  showDialog({
    title: `Add ${counted(urls.length, "URL")}`,
    content: [
      make("p.hint", {}, "Streams are downloaded in the best quality, with the default audio and all subtitles. To choose, or to record a live stream, add its URL alone."),
      list,
    ],
    buttons: [{ label: "Download all", kind: "main", act: download }, { label: "Cancel" }],
  });
}

/**
 * Shows the result of a probe and starts the chosen action.
 *
 * @param {Object} found the result of the probe
 * @param {string} url the URL as the user entered it, including credentials
 * @param {() => void} done called when an action has started
 */
function showAddDialog(found, url, done) {
  const known = found.asset && assets.get(found.asset);
  const existing = known && downloads.get(known.id);
  const title = known ? titleOf(known) : found.title || titleFrom(found.url);
  const name = make("input", { type: "text", value: title, maxlength: 300 });
  const titleField = field("Title", name);
  const quality = variantChoice(found, existing?.variant);
  const audio = trackChoice(
    "Audio", found.audio ?? [], (track) => track.isDefault, existing?.audio ?? "standard", existing);
  const subtitles = trackChoice(
    "Subtitles", found.subtitles ?? [], () => !existing, existing?.subtitles ?? "all", existing);
  const choice = { quality, audio, subtitles };
  const change = make("p.error", { id: "add-change", role: "status" });
  const size = make("p.sum", { id: "add-size", role: "status" });
  const live = found.isLive ? liveChoice(found.url) : null;

  const showSize = () => {
    const variant = quality.chosen();
    const length = variant?.length ?? found.length;
    const isKnown = found.isLengthExact && !variant;
    updateText(size, live ? "" : length ? `Total size: ${isKnown ? "" : "about "}${bytes(length)}` : "Size unknown");
  };
  const begin = () => (live?.isRecording() ? record() : download());
  const difference = () => (existing ? changeSummary(choice, hostOf(found.url)) : "");

  async function download() {
    const resumes = existing && !difference();
    const record = resumes ? await api.changeDownload(existing.id, { state: "running" }) : await api.addDownload({
      url,
      title: existing ? undefined : name.value.trim() || undefined,
      priority: existing?.priority,
      ...(found.kind === "stream" ? {
        variant: quality.chosen()?.selection, audio: audio.chosen(), subtitles: subtitles.chosen()
      } : {}),
    });
    downloads.put(record);
    assets.refresh(record.id);
    const label = existing ? title : name.value.trim() || title;
    notify(existing && !resumes ? `Changed the download of “${label}”.` : `Downloading “${label}”.`);
    done();
    go(routes.downloads);
  }

  async function record() {
    const channel = await api.addChannel({
      ...live.options(), url, variant: quality.chosen()?.selection, audio: audio.chosen(), subtitles: subtitles.chosen(),
    });
    channels.put(channel);
    notify(`Recording “${channel.name}”.`);
    done();
    go(routes.channel(channel.name));
  }

  const dialog = showDialog({
    title: `Add: ${title}`,
    content: [
      known && make("p.hint", { id: "add-known" },
        `Already in the library${existing ? `: ${existingSummary(known, choice)}` : ""}. `,
        make("a", { href: routes.asset(known.id), on: { click: () => dialog.close() } }, "Open it")),
      facts([
        ["Type", kindOf(found)],
        ["Duration", found.duration && !found.isLive ? clock(found.duration) : null],
        ["Size", !found.variants?.length && found.length &&
          `${found.isLengthExact ? "" : "about "}${bytes(found.length)}`],
        ["Media type", found.kind === "file" ? found.type : null],
      ]),
      ...(found.notes ?? []).map((note) => make("p.hint", {}, note)),
      titleField,
      live?.element, quality.element, audio.element, subtitles.element, size,
    ].filter(Boolean),
    buttons: [
      { label: "Download", kind: "main", act: begin, id: "add-begin" },
      { label: "Play now", act: () => { done(); allowPlayback(url); go(routes.url(withoutUser(url))); } },
      { label: "Cancel" },
    ],
  });
  // Placed next to the buttons, which stay visible while the choices scroll.
  dialog.querySelector(".buttons").prepend(change);
  const label = () => {
    const isRecording = live?.isRecording() ?? false;
    const act = isRecording ? { label: "Record" }
      : existing ? actionFor(existing, difference()) : { label: "Download" };
    const button = dialog.querySelector("#add-begin");
    updateText(button, act.label);
    button.disabled = act.isDisabled ?? false;
    updateText(change, act.note ?? "");
    titleField.hidden = isRecording || Boolean(existing);
  };
  dialog.addEventListener("change", () => { showSize(); label(); });
  showSize();
  label();
}

function existingSummary(asset, choice) {
  const state = stateOf(asset);
  return [choiceSummary(choice), state.charAt(0).toLowerCase() + state.slice(1)].filter(Boolean).join(", ");
}

/** Returns the main button's label for an existing download, and a note that describes the button's effects. */
function actionFor({ state, headerNames }, difference) {
  if (difference && headerNames.length) {
    return {
      label: "Change the download", isDisabled: true,
      note: `This download uses header fields (${headerNames.join(", ")}) that the page can’t send. Change it with “mediacache get”.`,
    };
  }
  if (difference) return { label: "Change the download", note: difference };
  if (state === "paused") return { label: "Resume the download" };
  if (state === "failed" || state === "completeWithHoles") return { label: "Try again" };
  const note = state === "complete" ? "Already downloaded." : "Already in the downloads.";
  return { label: "Download", isDisabled: true, note };
}

function kindOf(found) {
  const kind = found.kind === "stream" ? (found.isLive ? "Live stream (HLS)" : "Stream (HLS)") : "File";
  const notes = [
    found.isEncrypted && "encrypted",
    found.acceptsRanges === false && "byte ranges not supported: seeking must read from the start"
  ];
  return [kind, ...notes.filter(Boolean)].join(", ");
}

/** Creates the choice between recording a live stream and downloading it. */
function liveChoice(url) {
  const recording = check("Record as a channel", { type: "radio", name: "live", value: "record", checked: true });
  const downloading = check("Download until it ends", { type: "radio", name: "live", value: "download" });
  const name = channelNameField(channelNameFor(url));
  const retentionForm = retentionFields();
  const channelFields = make("div.fields", {}, name.label, ...retentionForm.elements);
  const element = make("fieldset", {}, make("legend", {}, "Action"), recording.label, downloading.label, channelFields);
  element.addEventListener("change", () => {
    channelFields.hidden = !recording.input.checked;
    for (const input of channelFields.querySelectorAll("input")) input.disabled = channelFields.hidden;
  });
  return {
    element, isRecording: () => recording.input.checked,
    options: () => ({ name: name.input.value, retention: retentionForm.retention() })
  };
}
