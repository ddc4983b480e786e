// The card of an asset in the library's grid.

import { localURL, routes } from "./address.js";
import { api } from "./api.js";
import { check, field, showDialog } from "./dialogs.js";
import { make, updateAttribute, updateText } from "./elements.js";
import { clock, fullTitle } from "./format.js";
import { icon } from "./icons.js";
import { removeAsset } from "./removal.js";
import { assets } from "./store.js";
import { bylineOf, exceptionOf, shareOf, sizeOf, titleOf, watchedShareOf } from "./words.js";

/** Creates the card of an asset. See {@link updateCard} for the parameters. */
export function buildCard(record, from = "") {
  const { id } = record;
  const button = (name, act, iconName) => make("button.quiet.small.square",
    { type: "button", data: { act: name }, on: { click: () => act(id) } }, icon(iconName));
  const card = make("li.card", { data: { id } },
    make("input.pick", { type: "checkbox" }),
    make("a.cover", { href: routes.asset(id) }, make("span.letters", { "aria-hidden": "true" }), make("span.watched", { hidden: true }, "Watched"), make("span.length"), make("i.watched-bar", { hidden: true })),
    make("div.card-text", {}, make("h2"), make("p.byline"), make("p.address.from"), make("p.card-state"), make("div.card-progress", { hidden: true }, make("i"))),
    make("div.card-actions", {},
      button("edit", edit, "pencil"), button("remove", removeAsset, "trash")));
  updateCard(card, record, from);
  return card;
}

/**
 * Updates a card to show a record.
 *
 * @param {string} [from] the label that distinguishes it from assets with the same title; the current one by default
 */
export function updateCard(card, record, from = card.querySelector(".from").textContent) {
  const title = titleOf(record);
  const heading = card.querySelector("h2");
  const name = fullTitle(title, from);
  if (card.dataset.name !== name) {
    card.dataset.name = name;
    updateText(heading, title);
    updateText(card.querySelector(".from"), from);
    updateAttribute(heading, "title", title);
    updateAttribute(card.querySelector(".pick"), "aria-label", `Select ${name}`);
    updateAttribute(card.querySelector(".cover"), "aria-label", `Play ${name}`);
    updateAttribute(card.querySelector("[data-act=edit]"), "aria-label", `Edit ${name}`);
    updateAttribute(card.querySelector("[data-act=remove]"), "aria-label", `Remove ${name}`);
  }
  const byline = card.querySelector(".byline");
  updateText(byline, bylineOf(record));
  updateAttribute(byline, "title", byline.textContent);
  updateText(card.querySelector(".length"), record.duration ? clock(record.duration) : "");
  updateText(card.querySelector(".card-state"), [exceptionOf(record), sizeOf(record), ...(record.tags ?? [])].filter(Boolean).join(" · "));
  card.querySelector(".watched").hidden = !record.watched;
  updateAttribute(card, "data-state", record.state ?? "saved");
  const share = shareOf(record);
  const progress = card.querySelector(".card-progress");
  progress.hidden = share === null || share >= 1 || !record.state || record.state === "completeWithHoles";
  progress.style.setProperty("--share", share ?? 0);
  showCover(card, record);
}

/**
 * Shows an asset's cover, or the initials of its title, with the fraction that has been watched. The browser loads the
 * cover when it scrolls into view.
 *
 * @param {HTMLElement} element contains `.cover`, `.letters` and `.watched-bar`
 */
export function showCover(element, record) {
  const title = titleOf(record);
  if (element.dataset.title !== title) {
    element.dataset.title = title;
    updateText(element.querySelector(".letters"), lettersOf(title));
    element.style.setProperty("--hue", hueOf(title));
  }
  const bar = element.querySelector(".watched-bar");
  const share = watchedShareOf(record);
  bar.hidden = share === 0;
  bar.style.setProperty("--share", share);
  const cover = element.querySelector(".cover");
  const known = cover.querySelector("img");
  const version = record.cover ? JSON.stringify(record.cover) : null;
  if ((known?.dataset.version ?? null) === version) return;
  known?.remove();
  if (!version) return;
  const source = localURL(`${record.libraryURL}cover`);
  const image = make("img", { alt: "", loading: "lazy", decoding: "async", src: source, data: { version } });
  image.addEventListener("error", () => { image.hidden = true; });
  cover.prepend(image);
}

/** Returns the initials that a cover without a picture shows. */
export const lettersOf = (title) => title.replace(/[^\p{L}\p{N}\s]/gu, " ").trim().split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();

/** Returns the hue of a cover without a picture, in degrees. */
export function hueOf(text) {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)) % 3600;
  return hash % 360;
}

function edit(id) {
  const record = assets.get(id);
  const input = make("input", { type: "text", required: true, maxlength: 300, value: titleOf(record) });
  const tags = make("input", { type: "text", maxlength: 1000, value: (record.tags ?? []).join(", ") });
  const watched = check("Watched", { checked: Boolean(record.watched) });
  const save = async () => {
    const title = input.value.trim();
    assets.put(await api.changeAsset(id, {
      ...(title === titleOf(record) ? {} : { title }),
      tags: tags.value.split(","),
      watched: watched.input.checked,
    }));
  };
  showDialog({
    title: `Edit “${titleOf(record)}”`,
    content: [field("Title", input), field("Tags", tags, "Separate them by commas."), watched.label],
    buttons: [{ label: "Save", kind: "main", act: save }, { label: "Cancel" }],
    kind: "narrow",
  });
  input.select();
}
