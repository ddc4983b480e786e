// What a download has of what its URL offers, and what another choice would change of it.

import { bytes, inList, language } from "./format.js";
import { nameOfVariant } from "./words.js";

/** From here on a number that names a variant is a bandwidth; below it is a height. */
const leastBandwidth = 10_000;
/** Chosen where a download has every variant. */
export const everyVariant = "all";

/**
 * Which of the variants, the best first, a download's text means.
 *
 * @returns {number|"all"} its place
 */
export function placeOf(text, variants) {
  if (text === everyVariant) return everyVariant;
  if (text === "best") return 0;
  if (text === "worst") return variants.length - 1;
  const limit = Number(text);
  if (limit >= leastBandwidth) return firstOr(variants, ({ bandwidth }) => bandwidth <= limit, variants.length - 1);
  const heights = variants.map(({ height }) => height ?? 0).filter(Boolean);
  if (!heights.length) return 0;
  const fitting = heights.filter((height) => height <= limit);
  const height = fitting.length ? Math.max(...fitting) : Math.min(...heights);
  return firstOr(variants, (variant) => variant.height === height, 0);
}

const firstOr = (all, fits, other) => {
  const found = all.findIndex(fits);
  return found < 0 ? other : found;
};

/**
 * Whether a download's text means a language.
 *
 * @param {string} text `standard`, `all`, `none`, or languages with commas between
 * @param {boolean} isStandard whether the language is one of the standard
 */
export function means(text, tag, isStandard) {
  if (text === "all") return true;
  if (text === "none") return false;
  if (text === "standard") return isStandard;
  const own = tag.toLowerCase();
  return text.toLowerCase().split(",").some((wanted) => own === wanted || own.startsWith(`${wanted}-`));
}

/** What a choice is, in words: "360p, English and German, no subtitles". */
export function choiceInWords({ quality, sound, subtitles }) {
  const names = (choice) => inList(choice.tags().map(language));
  const parts = [
    quality.element && (quality.place() === everyVariant ? "every quality" : nameOfVariant(quality.chosen())),
    sound.element && (names(sound) || "no other sound"),
    subtitles.element && (names(subtitles) ? `subtitles in ${names(subtitles)}` : "no subtitles"),
  ];
  return parts.filter(Boolean).join(", ");
}

/** What a change gives up and what it fetches, in words; empty where nothing changes. */
export function changeInWords({ quality, sound, subtitles }, host) {
  const [lost, gained] = [[], []];
  const [before, now] = [quality.first, quality.place()];
  if (before !== now) {
    if (before === everyVariant) lost.push(`every quality but ${nameOfVariant(quality.chosen())}`);
    else if (now === everyVariant) gained.push("every other quality");
    else {
      lost.push(nameOfVariant(quality.variants[before]));
      const { length } = quality.chosen();
      gained.push(nameOfVariant(quality.chosen()) + (length ? ` (about ${bytes(length)})` : ""));
    }
  }
  for (const [choice, noun] of [[sound, "sound"], [subtitles, "subtitles"]]) {
    const tags = choice.tags();
    lost.push(...choice.first.filter((tag) => !tags.includes(tag)).map((tag) => `${language(tag)} ${noun}`));
    gained.push(...tags.filter((tag) => !choice.first.includes(tag)).map((tag) => `${language(tag)} ${noun}`));
  }
  if (!lost.length && !gained.length) return "";
  const fetches = gained.length ? `fetches ${inList(gained)} from ${host}` : "fetches nothing";
  return `A change ${lost.length ? `gives up ${inList(lost)}` : "gives up nothing"}, and ${fetches}.`;
}
