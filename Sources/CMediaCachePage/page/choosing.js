// The dialog between looking at a URL and starting: what it is, and what of it is wanted.

import { api } from "./api.js";
import { routes } from "./address.js";
import { check, facts, field, showDialog } from "./dialogs.js";
import { make, say } from "./elements.js";
import { bitrate, bytes, clock, language, titleFrom } from "./format.js";
import { keepFields, nameFor } from "./keeping.js";
import { notify } from "./notices.js";
import { go } from "./router.js";
import { assets, channels, downloads } from "./store.js";

/**
 * Asks what is to be done with what a URL is.
 *
 * @param {Object} found what the server found out
 * @param {string} url as it was given, with whatever credentials it has
 * @param {() => void} done called when something was begun
 */
export function choose(found, url, done) {
  const title = found.title || titleFrom(found.url);
  const known = found.asset && assets.get(found.asset);
  const name = make("input", { type: "text", value: title, maxlength: 300 });
  const titleField = field("Title", name);
  const quality = variantChoice(found);
  const sound = trackChoice("Sound", found.audio ?? [], (track) => track.isDefault, "standard");
  const subtitles = trackChoice("Subtitles", found.subtitles ?? [], () => true, "all");
  const size = make("p.sum", { id: "add-size", role: "status" });
  const live = found.isLive ? liveChoice(found.url) : null;

  const showSize = () => {
    const variant = quality.chosen();
    const length = variant?.length ?? found.length;
    const isKnown = found.lengthKnown && !variant;
    say(size, live ? "" : length ? `Together ${isKnown ? "" : "about "}${bytes(length)}` : "Nobody says how large it is.");
  };
  const begin = () => (live?.isRecording() ? record() : download());

  async function download() {
    const record = await api.addDownload({
      url,
      title: name.value.trim() || undefined,
      ...(found.kind === "stream" ? {
        variant: quality.chosen()?.selection, audio: sound.chosen(), subtitles: subtitles.chosen()
      } : {}),
    });
    downloads.put(record);
    assets.refresh(record.id);
    notify(`“${name.value.trim() || title}” is being downloaded.`);
    done();
    go(routes.downloads);
  }

  async function record() {
    const channel = await api.addChannel({
      ...live.wanted(), url, variant: quality.chosen()?.selection, audio: sound.chosen(), subtitles: subtitles.chosen(),
    });
    channels.put(channel);
    notify(`“${channel.name}” is being recorded.`);
    done();
    go(routes.channel(channel.name));
  }

  const { dialog } = showDialog({
    title: `Add: ${title}`,
    content: [
      known && make("p.hint", {},
        "It is in the library already. ",
        make("a", { href: routes.asset(known.id), on: { click: () => dialog.close() } }, "Open it")
      ),
      facts([
        ["What it is", kindOf(found)],
        ["Duration", found.duration && !found.isLive ? clock(found.duration) : null],
        [
          "Size",
          found.length && !found.variants?.length ? `${found.lengthKnown ? "" : "about "}${bytes(found.length)}` : null
        ],
        ["Type", found.kind === "file" ? found.type : null],
      ]),
      ...(found.notes ?? []).map((note) => make("p.hint", {}, note)),
      titleField,
      live?.element, quality.element, sound.element, subtitles.element, size,
    ].filter(Boolean),
    buttons: [
      { label: "Download", kind: "main", act: begin, id: "add-begin" },
      { label: "Play now", act: () => { done(); go(routes.url(url)); } },
      { label: "Cancel" },
    ],
  });
  const label = () => {
    say(dialog.querySelector("#add-begin"), live?.isRecording() ? "Record" : "Download");
    titleField.hidden = live?.isRecording() ?? false;
  };
  dialog.addEventListener("change", () => { showSize(); label(); });
  showSize();
  label();
}

function kindOf(found) {
  const kind = found.kind === "stream" ? (found.isLive ? "A live stream (HLS)" : "A stream (HLS)") : "A file";
  const notes = [
    found.isEncrypted && "encrypted",
    found.acceptsRanges === false && "without byte ranges: a seek reads from the start"
  ];
  return [kind, ...notes.filter(Boolean)].join(", ");
}

/** Radio buttons for the variants of a stream, the best chosen. */
function variantChoice(found) {
  const variants = found.variants ?? [];
  if (!variants.length) return { element: null, chosen: () => null };
  const inputs = variants.map((variant, index) => make("input", {
    type: "radio", name: "variant", value: index, checked: index === 0,
  }));
  const labels = variants.map((variant, index) => make("label.check", {}, inputs[index], make("span", {}, [
    variant.height ? `${variant.height}p${variant.frameRate > 30 ? Math.round(variant.frameRate) : ""}` : "Sound",
    bitrate(variant.bandwidth),
    variant.length && !found.isLive && `about ${bytes(variant.length)}`,
  ].filter(Boolean).join(", "))));
  return {
    element: make("fieldset", {}, make("legend", {}, "Quality"), ...labels),
    chosen: () => variants[inputs.findIndex((input) => input.checked)] ?? variants[0],
  };
}

/**
 * Checkboxes for sound or subtitles, by language.
 *
 * @param {string} fallback what is asked for where nothing can be chosen
 */
function trackChoice(name, tracks, isChosen, fallback) {
  const named = tracks.filter((track) => track.language);
  const byLanguage = new Map();
  for (const track of named) {
    const known = byLanguage.get(track.language);
    byLanguage.set(track.language, (known ?? false) || isChosen(track));
  }
  if (byLanguage.size === 0) return { element: null, chosen: () => fallback };
  if (![...byLanguage.values()].some(Boolean)) byLanguage.set([...byLanguage.keys()][0], true);
  const boxes = [...byLanguage].map(([tag, checked]) => ({ tag, checked, ...check(language(tag), { checked }) }));
  return {
    element: make("fieldset", {}, make("legend", {}, name), ...boxes.map((box) => box.label)),
    chosen() {
      const wanted = boxes.filter((box) => box.input.checked);
      if (wanted.length === 0) return "none";
      if (wanted.length === boxes.length) return "all";
      return wanted.map((box) => box.tag).join(",");
    },
  };
}

/** What is to be done with a live stream. */
function liveChoice(url) {
  const radio = (label, value, checked) => {
    const input = make("input", { type: "radio", name: "live", value, checked });
    return { input, label: make("label.check", {}, input, make("span", {}, label)) };
  };
  const [recording, downloading] = [
    radio("Record as a channel", "record", true),
    radio("Download until it ends", "download", false)
  ];
  const name = make("input",
    { type: "text", required: true, maxlength: 64, pattern: "[A-Za-z0-9_\\-][A-Za-z0-9._\\-]*", value: nameFor(url) }
  );
  const keeping = keepFields({ seconds: 86_400 });
  const ofChannel = make("div.fields", {},
    field("Name of the channel", name, "Letters, digits, dots, hyphens, underscores"), ...keeping.elements
  );
  const element = make("fieldset", {}, make("legend", {}, "What to do"), recording.label, downloading.label, ofChannel);
  element.addEventListener("change", () => {
    ofChannel.hidden = !recording.input.checked;
    for (const input of ofChannel.querySelectorAll("input")) input.disabled = ofChannel.hidden;
  });
  return {
    element, isRecording: () => recording.input.checked,
    wanted: () => ({ name: name.value, retention: keeping.retention() })
  };
}
