// The dialog between looking at a URL and starting: what it is, and what of it is wanted.

import { agree } from "./agreement.js";
import { api } from "./api.js";
import { routes } from "./address.js";
import { check, facts, field, showDialog } from "./dialogs.js";
import { make, say } from "./elements.js";
import { bitrate, bytes, clock, hostOf, language, titleFrom } from "./format.js";
import { keepFields, nameFor } from "./keeping.js";
import { changeInWords, choiceInWords, everyVariant, means, placeOf } from "./known.js";
import { notify } from "./notices.js";
import { go } from "./router.js";
import { assets, channels, downloads } from "./store.js";
import { nameOfVariant, stateOf, titleOf } from "./words.js";

/**
 * Asks what is to be done with what a URL is.
 *
 * @param {Object} found what the server found out
 * @param {string} url as it was given, with whatever credentials it has
 * @param {() => void} done called when something was begun
 */
export function choose(found, url, done) {
  const known = found.asset && assets.get(found.asset);
  /** Its download: what it has is chosen, and stays until somebody chooses otherwise. */
  const kept = known && downloads.get(known.id);
  const title = known ? titleOf(known) : found.title || titleFrom(found.url);
  const name = make("input", { type: "text", value: title, maxlength: 300 });
  const titleField = field("Title", name);
  const quality = variantChoice(found, kept?.variant);
  const sound = trackChoice("Sound", found.audio ?? [], (track) => track.isDefault, kept?.audio ?? "standard", kept);
  const subtitles = trackChoice("Subtitles", found.subtitles ?? [], () => !kept, kept?.subtitles ?? "all", kept);
  const choice = { quality, sound, subtitles };
  const change = make("p.error", { id: "add-change", role: "status" });
  const size = make("p.sum", { id: "add-size", role: "status" });
  const live = found.isLive ? liveChoice(found.url) : null;

  const showSize = () => {
    const variant = quality.chosen();
    const length = variant?.length ?? found.length;
    const isKnown = found.lengthKnown && !variant;
    say(size, live ? "" : length ? `Together ${isKnown ? "" : "about "}${bytes(length)}` : "Nobody says how large it is.");
  };
  const begin = () => (live?.isRecording() ? record() : download());
  const difference = () => (kept ? changeInWords(choice, hostOf(found.url)) : "");

  async function download() {
    const goesOn = kept && !difference();
    const record = goesOn ? await api.changeDownload(kept.id, { state: "running" }) : await api.addDownload({
      url,
      title: kept ? undefined : name.value.trim() || undefined,
      priority: kept?.priority,
      ...(found.kind === "stream" ? {
        variant: quality.chosen()?.selection, audio: sound.chosen(), subtitles: subtitles.chosen()
      } : {}),
    });
    downloads.put(record);
    assets.refresh(record.id);
    const called = kept ? title : name.value.trim() || title;
    notify(kept && !goesOn ? `The download of “${called}” is changed.` : `“${called}” is being downloaded.`);
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
      known && make("p.hint", { id: "add-known" },
        `It is in the library${kept ? `: ${inLibrary(known, choice)}` : ""}. `,
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
      { label: "Play now", act: () => { done(); agree(url); go(routes.url(url)); } },
      { label: "Cancel" },
    ],
  });
  // Beside the button, which stays in sight however much there is to choose.
  dialog.querySelector(".buttons").prepend(change);
  const label = () => {
    const isRecording = live?.isRecording() ?? false;
    const act = isRecording ? { label: "Record" } : kept ? actOf(kept, difference()) : { label: "Download" };
    const button = dialog.querySelector("#add-begin");
    say(button, act.label);
    button.disabled = act.isOff ?? false;
    say(change, act.note ?? "");
    titleField.hidden = isRecording || Boolean(kept);
  };
  dialog.addEventListener("change", () => { showSize(); label(); });
  showSize();
  label();
}

/** What the library has, in words. */
function inLibrary(asset, choice) {
  const state = stateOf(asset);
  return [choiceInWords(choice), state.charAt(0).toLowerCase() + state.slice(1)].filter(Boolean).join(", ");
}

/** What the button does with a download that there is, and what to know before. */
function actOf({ state, headerNames }, difference) {
  if (difference && headerNames.length) {
    return {
      label: "Change the download", isOff: true,
      note: `It is fetched with ${headerNames.join(", ")}, which this page can’t repeat: change it with “mediacache get”.`,
    };
  }
  if (difference) return { label: "Change the download", note: difference };
  if (state === "paused") return { label: "Resume the download" };
  if (state === "failed" || state === "completeWithHoles") return { label: "Try again" };
  return { label: "Change the download", isOff: true };
}

function kindOf(found) {
  const kind = found.kind === "stream" ? (found.isLive ? "A live stream (HLS)" : "A stream (HLS)") : "A file";
  const notes = [
    found.isEncrypted && "encrypted",
    found.acceptsRanges === false && "without byte ranges: a seek reads from the start"
  ];
  return [kind, ...notes.filter(Boolean)].join(", ");
}

/**
 * Radio buttons for the variants of a stream, the best chosen.
 *
 * @param {string} [wanted] what its download has, which is chosen then
 */
function variantChoice(found, wanted) {
  const variants = found.variants ?? [];
  if (!variants.length) return { element: null, chosen: () => null, place: () => null, first: null };
  const first = wanted ? placeOf(wanted, variants) : 0;
  const inputs = variants.map((variant, index) => make("input", {
    type: "radio", name: "variant", value: index, checked: index === first,
  }));
  const labels = variants.map((variant, index) => make("label.check", {}, inputs[index], make("span", {}, [
    nameOfVariant(variant),
    bitrate(variant.bandwidth),
    variant.length && !found.isLive && `about ${bytes(variant.length)}`,
  ].filter(Boolean).join(", "))));
  const every = make("input", { type: "radio", name: "variant", value: everyVariant, checked: true });
  if (first === everyVariant) labels.push(make("label.check", {}, every, make("span", {}, "Every quality")));
  const place = () => {
    const found = inputs.findIndex((input) => input.checked);
    return found < 0 ? first : found;
  };
  // What nobody has changed is asked for as it was: the best may be another one tomorrow.
  const chosen = () => {
    const at = place();
    const one = at === everyVariant ? {} : variants[at];
    return wanted && at === first ? { ...one, selection: wanted } : one;
  };
  return { element: make("fieldset", {}, make("legend", {}, "Quality"), ...labels), chosen, place, first, variants };
}

/**
 * Checkboxes for sound or subtitles, by language.
 *
 * @param {string} wanted what is asked for where nothing can be chosen
 * @param {boolean} isKept whether a download has just that, which is chosen then
 */
function trackChoice(name, tracks, isChosen, wanted, isKept) {
  const named = tracks.filter((track) => track.language);
  const byLanguage = new Map();
  for (const track of named) {
    const known = byLanguage.get(track.language);
    byLanguage.set(track.language, (known ?? false) || isChosen(track));
  }
  if (byLanguage.size === 0) return { element: null, chosen: () => wanted, tags: () => [], first: [] };
  const isSubtitles = name === "Subtitles";
  if (![...byLanguage.values()].some(Boolean) && !isSubtitles) byLanguage.set([...byLanguage.keys()][0], true);
  if (isKept) {
    const had = new Map([...byLanguage].map(([tag, isStandard]) => [tag, means(wanted, tag, isStandard)]));
    // Where there is none of the languages that were wanted, the standard ones come.
    if (wanted === "none" || [...had.values()].some(Boolean)) for (const [tag, has] of had) byLanguage.set(tag, has);
  }
  const boxes = [...byLanguage].map(([tag, checked]) => ({ tag, checked, ...check(language(tag), { checked }) }));
  const tags = () => boxes.filter((box) => box.input.checked).map((box) => box.tag);
  const first = tags();
  return {
    element: make("fieldset", {}, make("legend", {}, name), ...boxes.map((box) => box.label)),
    tags, first,
    chosen() {
      const all = tags();
      if (isKept && all.join() === first.join()) return wanted;
      if (all.length === 0) return "none";
      return all.length === boxes.length ? "all" : all.join(",");
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
