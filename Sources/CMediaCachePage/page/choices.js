// The choice of quality, audio and subtitles for a stream, and how it differs from that of an existing download.

import { check } from "./dialogs.js";
import { make } from "./elements.js";
import { bitrate, bytes, inList, language } from "./format.js";
import { nameOfVariant } from "./words.js";

/** The smallest number that selects a bandwidth in bits per second. Smaller numbers select a height in pixels. */
const minimumBandwidth = 10_000;
const everyVariant = "all";

/**
 * Creates radio buttons for the variants of a stream, with the best one selected.
 *
 * @param {Object} found the result of the probe
 * @param {string} [selection] the selection of an existing download, which is preselected instead
 */
export function variantChoice(found, selection) {
  const variants = found.variants ?? [];
  if (!variants.length) return { element: null, chosen: () => null, index: () => null, first: null };
  const first = selection ? indexOfVariant(selection, variants) : 0;
  const radio = (text, value) => check(text, { type: "radio", name: "variant", value, checked: value === first });
  const options = variants.map((variant, index) => radio([
    nameOfVariant(variant),
    bitrate(variant.bandwidth),
    variant.length && !found.isLive && `about ${bytes(variant.length)}`,
  ].filter(Boolean).join(", "), index));
  const labels = options.map(({ label }) => label);
  if (first === everyVariant) labels.push(radio("Every quality", everyVariant).label);
  const index = () => firstIndex(options, ({ input }) => input.checked, first);
  // An unchanged selection is sent back unchanged, since "best" may mean another variant later.
  const chosen = () => {
    const at = index();
    const one = at === everyVariant ? {} : variants[at];
    return selection && at === first ? { ...one, selection } : one;
  };
  return { element: make("fieldset", {}, make("legend", {}, "Quality"), ...labels), chosen, index, first, variants };
}

/**
 * Creates checkboxes for the languages of audio or subtitle tracks.
 *
 * @param {"Audio"|"Subtitles"} name
 * @param {Object[]} tracks
 * @param {(track: Object) => boolean} isPreselected
 * @param {string} selection the selection to send if there is nothing to choose
 * @param {boolean} isExisting whether `selection` belongs to an existing download and is preselected
 */
export function trackChoice(name, tracks, isPreselected, selection, isExisting) {
  let byLanguage = new Map();
  for (const track of tracks.filter((track) => track.language)) {
    byLanguage.set(track.language, byLanguage.get(track.language) || isPreselected(track));
  }
  if (byLanguage.size === 0) return { element: null, chosen: () => selection, tags: () => [], first: [] };
  const isSubtitles = name === "Subtitles";
  if (![...byLanguage.values()].some(Boolean) && !isSubtitles) byLanguage.set([...byLanguage.keys()][0], true);
  if (isExisting) {
    const selected = [...byLanguage].map(([tag, isStandard]) => [tag, selects(selection, tag, isStandard)]);
    // If the stream lacks the selected languages, the download has the standard ones instead.
    if (selection === "none" || selected.some(([, isSelected]) => isSelected)) byLanguage = new Map(selected);
  }
  const boxes = [...byLanguage].map(([tag, checked]) => ({ tag, checked, ...check(language(tag), { checked }) }));
  const tags = () => boxes.filter((box) => box.input.checked).map((box) => box.tag);
  const first = tags();
  return {
    element: make("fieldset", {}, make("legend", {}, name), ...boxes.map((box) => box.label)),
    tags, first,
    chosen() {
      const all = tags();
      if (isExisting && all.join() === first.join()) return selection;
      if (all.length === 0) return "none";
      return all.length === boxes.length ? "all" : all.join(",");
    },
  };
}

/**
 * Returns the index of the variant that a selection refers to.
 *
 * @param {string} selection `best`, `worst`, `all`, a height or a bandwidth
 * @param {Object[]} variants the variants, best first
 * @returns {number|"all"}
 */
function indexOfVariant(selection, variants) {
  if (selection === everyVariant) return everyVariant;
  if (selection === "best") return 0;
  if (selection === "worst") return variants.length - 1;
  const limit = Number(selection);
  if (limit >= minimumBandwidth) return firstIndex(variants, ({ bandwidth }) => bandwidth <= limit, variants.length - 1);
  const heights = variants.map(({ height }) => height ?? 0).filter(Boolean);
  if (!heights.length) return 0;
  const fitting = heights.filter((height) => height <= limit);
  const height = fitting.length ? Math.max(...fitting) : Math.min(...heights);
  return firstIndex(variants, (variant) => variant.height === height, 0);
}

const firstIndex = (all, fits, fallback) => {
  const found = all.findIndex(fits);
  return found < 0 ? fallback : found;
};

/**
 * Returns whether a selection includes a language.
 *
 * @param {string} selection `standard`, `all`, `none`, or language tags separated by commas
 * @param {string} tag
 * @param {boolean} isStandard whether the language is one of the stream's standard languages
 */
function selects(selection, tag, isStandard) {
  if (selection === "all") return true;
  if (selection === "none") return false;
  if (selection === "standard") return isStandard;
  const own = tag.toLowerCase();
  return selection.toLowerCase().split(",").some((other) => own === other || own.startsWith(`${other}-`));
}

/** Describes a choice, for example "360p, English and German, no subtitles". */
export function choiceSummary({ quality, audio, subtitles }) {
  const names = (choice) => inList(choice.tags().map(language));
  const parts = [
    quality.element && (quality.index() === everyVariant ? "every quality" : nameOfVariant(quality.chosen())),
    audio.element && (names(audio) || "no separate audio tracks"),
    subtitles.element && (names(subtitles) ? `subtitles in ${names(subtitles)}` : "no subtitles"),
  ];
  return parts.filter(Boolean).join(", ");
}

/** Describes the data that a changed choice removes and downloads; an empty string if nothing changes. */
export function changeSummary({ quality, audio, subtitles }, host) {
  const [removed, added] = [[], []];
  const [before, now] = [quality.first, quality.index()];
  if (before !== now) {
    if (before === everyVariant) removed.push(`every quality except ${nameOfVariant(quality.chosen())}`);
    else if (now === everyVariant) added.push("every other quality");
    else {
      removed.push(nameOfVariant(quality.variants[before]));
      const { length } = quality.chosen();
      added.push(nameOfVariant(quality.chosen()) + (length ? ` (about ${bytes(length)})` : ""));
    }
  }
  for (const [choice, noun] of [[audio, "audio"], [subtitles, "subtitles"]]) {
    const tags = choice.tags();
    removed.push(...choice.first.filter((tag) => !tags.includes(tag)).map((tag) => `${language(tag)} ${noun}`));
    added.push(...tags.filter((tag) => !choice.first.includes(tag)).map((tag) => `${language(tag)} ${noun}`));
  }
  if (!removed.length && !added.length) return "";
  const effects = [
    removed.length && `removes ${inList(removed)}`, added.length && `downloads ${inList(added)} from ${host}`,
  ];
  return `This ${effects.filter(Boolean).join(" and ")}.`;
}
