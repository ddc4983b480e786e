// One asset in the library's grid.

import { inFull } from "./alike.js";
import { api } from "./api.js";
import { local, routes } from "./address.js";
import { confirm, field, showDialog } from "./dialogs.js";
import { make, mark, say } from "./elements.js";
import { clock, hostOf } from "./format.js";
import { icon } from "./icons.js";
import { notify } from "./notices.js";
import { assets } from "./store.js";
import { shareOf, sizeOf, stateOf, titleOf } from "./words.js";

/** Makes an asset's card. */
export function buildCard(record) {
  const { id } = record;
  const card = make("li.card", { data: { id } },
    make("a.cover", { href: routes.asset(id) }, make("span.letters", { "aria-hidden": "true" }), make("span.length")),
    make("div.card-text", {}, make("h2"), make("p.address.from"), make("p.card-state"), make("div.thread", { hidden: true }, make("i"))),
    make("div.card-actions", {},
      make("button.quiet.small.square",
        { type: "button", data: { act: "rename" }, on: { click: () => rename(id) } }, icon("pencil")
      ),
      make("button.quiet.small.square",
        { type: "button", data: { act: "remove" }, on: { click: () => remove(id) } }, icon("trash")
      )));
  showCard(card, record);
  return card;
}

/**
 * Brings a card up to date. Only what differs is touched.
 *
 * @param {string} [from] what tells it apart from others of its title; what is said of that stays where nothing is
 */
export function showCard(card, record, from = card.querySelector(".from").textContent) {
  const title = titleOf(record);
  const heading = card.querySelector("h2");
  const name = inFull(title, from);
  if (card.dataset.name !== name) {
    card.dataset.name = name;
    say(heading, title);
    say(card.querySelector(".from"), from);
    mark(heading, "title", title);
    mark(card.querySelector(".cover"), "aria-label", `Play ${name}`);
    mark(card.querySelector("[data-act=rename]"), "aria-label", `Rename ${name}`);
    mark(card.querySelector("[data-act=remove]"), "aria-label", `Remove ${name}`);
    say(card.querySelector(".letters"), lettersOf(title));
    card.style.setProperty("--hue", hueOf(title));
  }
  say(card.querySelector(".length"), record.duration ? clock(record.duration) : "");
  say(card.querySelector(".card-state"), [stateOf(record), sizeOf(record)].filter(Boolean).join(" · "));
  mark(card, "data-state", record.state ?? "kept");
  const share = shareOf(record);
  const thread = card.querySelector(".thread");
  thread.hidden = share === null || share >= 1 || !record.state || record.state === "completeWithHoles";
  thread.style.setProperty("--share", share ?? 0);
  showCover(card.querySelector(".cover"), record);
}

/** Shows the picture that is kept with an asset, where there is one; it's read when it comes into view. */
function showCover(cover, record) {
  const known = cover.querySelector("img");
  const version = record.cover ? JSON.stringify(record.cover) : null;
  if (known?.dataset.version === (version ?? undefined) && Boolean(known) === Boolean(version)) return;
  known?.remove();
  if (!version) return;
  const source = local(`${record.libraryURL}cover`);
  const image = make("img", { alt: "", loading: "lazy", decoding: "async", src: source, data: { version } });
  image.addEventListener("error", () => { image.hidden = true; });
  cover.prepend(image);
}

const lettersOf = (title) => title.replace(/[^\p{L}\p{N}\s]/gu, " ").trim().split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();

function hueOf(text) {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)) % 3600;
  return hash % 360;
}

function rename(id) {
  const record = assets.get(id);
  const input = make("input", { type: "text", required: true, maxlength: 300, value: titleOf(record) });
  showDialog({
    title: `Rename “${titleOf(record)}”`,
    content: [field("Title", input)],
    buttons: [
      { label: "Rename", kind: "main", act: async () => assets.put(await api.rename(id, input.value.trim())) },
      { label: "Cancel" }
    ],
    kind: "narrow",
  });
  input.select();
}

/** Asks, and removes an asset. */
export function remove(id) {
  const record = assets.get(id);
  const title = titleOf(record);
  return confirm({
    title: `Remove “${title}”?`,
    text: `${sizeOf(record) || "What is kept"} will be gone from the disk, with its picture${record.state && record.state !== "complete" ? " and its download" : ""}. To have it again, it has to be fetched again${record.url ? ` from ${hostOf(record.url)}` : ""}.`,
    yes: "Remove",
    act: async () => {
      await api.removeAsset(id);
      assets.remove(id);
      notify(`“${title}” is removed.`);
    },
  });
}
