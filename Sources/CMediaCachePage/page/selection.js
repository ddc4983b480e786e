// The selection of several items in the library, their removal, and changes of all of them.

import { api, sentence } from "./api.js";
import { confirm, field, showDialog } from "./dialogs.js";
import { make, updateAttribute, updateText } from "./elements.js";
import { bytes, counted } from "./format.js";
import { notify, reportError } from "./notices.js";
import { isImported, remove } from "./removal.js";
import { assets } from "./store.js";

/**
 * Creates the controls for a selection in a list of cards.
 *
 * @param {HTMLElement} list the list; its items have an ID and a checkbox with the class `pick`
 * @returns {{start: HTMLElement, element: HTMLElement, show: () => void}} `start` begins and ends the selection;
 *   `element` contains the other controls; `show` updates them after the list has changed
 */
export function makeSelection(list) {
  const picked = new Set();
  let isRunning = false;
  const button = (kind, label, act) => make(`button.${kind}`, { type: "button", on: { click: act } }, label);
  const start = button("quiet", "Select", () => turn(!isOn()));
  const text = make("p", { role: "status" });
  const all = button("quiet.small", "Select all", () => {
    const isWhole = boxes().every((box) => box.checked);
    for (const box of boxes()) pick(box, !isWhole);
    show();
  });
  const removeButton = button("danger.small", "Remove", askToRemove);
  const watched = button("quiet.small", "Mark as watched", () => mark(true));
  const unwatched = button("quiet.small", "Mark as not watched", () => mark(false));
  const tag = button("quiet.small", "Add tags", askForTags);
  const element = make("div.tools.selection", { hidden: true }, text, all, watched, unwatched, tag, removeButton);

  const boxes = () => [...list.querySelectorAll(".pick")];
  const idOf = (box) => box.closest("[data-id]").dataset.id;
  const isOn = () => list.classList.contains("selecting");

  function pick(box, isPicked) {
    box.checked = isPicked;
    if (isPicked) picked.add(idOf(box));
    else picked.delete(idOf(box));
  }

  function turn(on) {
    list.classList.toggle("selecting", on);
    element.hidden = !on;
    updateAttribute(start, "aria-pressed", String(on));
    updateText(start, on ? "Done" : "Select");
    if (!on) for (const box of boxes()) pick(box, false);
    show();
  }

  function show() {
    start.hidden = list.childElementCount === 0 && !isOn();
    // Items outside the current search and filter aren't selected.
    const shown = new Set(boxes().map(idOf));
    for (const id of picked) if (!shown.has(id)) picked.delete(id);
    updateText(text, `${counted(picked.size, "item")} selected`);
    updateText(all, shown.size > 0 && picked.size === shown.size ? "Select none" : "Select all");
    all.disabled = list.getAttribute("aria-busy") === "true";
    for (const one of [watched, unwatched, tag, removeButton]) one.disabled = picked.size === 0;
  }

  /**
   * Runs `act` for each selected item. Items for which it fails stay selected, so that it can be repeated for them.
   *
   * @throws {Error} at the end, if it failed for any item
   */
  async function forEach(act, done, failed) {
    if (isRunning) return;
    isRunning = true;
    const failures = [];
    const ids = [...picked];
    for (const id of ids) {
      try {
        await act(id);
        picked.delete(id);
      } catch (error) {
        failures.push(error);
      }
    }
    isRunning = false;
    const count = ids.length - failures.length;
    if (count) notify(`${done} ${counted(count, "item")}.`);
    if (!failures.length) return turn(false);
    for (const box of boxes()) box.checked = picked.has(idOf(box));
    show();
    throw new Error(`${counted(failures.length, "item")} couldn’t be ${failed}: ${sentence(failures[0].message)}`);
  }

  async function mark(isWatched) {
    try {
      await forEach(async (id) => assets.put(await api.changeAsset(id, { watched: isWatched })), "Marked", "marked");
    } catch (error) {
      reportError(`The items can’t be marked as ${isWatched ? "watched" : "not watched"}`, error);
    }
  }

  function askForTags() {
    const input = make("input", { type: "text", maxlength: 1000, required: true });
    showDialog({
      title: `Add tags to ${counted(picked.size, "item")}`,
      content: [field("Tags", input, "Separate them by commas.")],
      buttons: [
        {
          label: "Add",
          kind: "main",
          act: () => forEach(async (id) => {
            const tags = [...new Set([...(assets.get(id)?.tags ?? []), ...input.value.split(",")])];
            assets.put(await api.changeAsset(id, { tags }));
          }, "Added tags to", "changed"),
        },
        { label: "Cancel" },
      ],
      kind: "narrow",
    });
    input.focus();
  }

  function askToRemove() {
    const records = [...picked].map((id) => assets.get(id)).filter(Boolean);
    const size = records.reduce((sum, record) => sum + (record.bytes ?? 0), 0);
    const text = [
      `This deletes their data${size ? ` (${bytes(size)})` : ""} and covers from the disk, and cancels their downloads.`,
      records.some(({ isRecorded }) => isRecorded) &&
        "Deleted recordings can’t be restored; their channels are removed too, with the programmes and their exports.",
      records.some(isImported) && "Imports can only be restored by importing them again.",
    ];
    confirm({
      title: `Remove ${counted(picked.size, "item")}?`,
      text: text.filter(Boolean).join(" "),
      yes: "Remove",
      act: () => forEach(remove, "Removed", "removed"),
    });
  }

  list.addEventListener("change", (event) => {
    if (!event.target.matches(".pick")) return;
    pick(event.target, event.target.checked);
    show();
  });
  list.addEventListener("click", (event) => {
    const cover = isOn() && event.target.closest("a.cover");
    if (!cover) return;
    // During a selection, covers select instead of opening the player.
    event.preventDefault();
    const box = cover.closest("[data-id]").querySelector(".pick");
    pick(box, !box.checked);
    show();
  });
  show();
  return { start, element, show };
}
