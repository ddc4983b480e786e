// The export of a clip: a time range of a channel, saved as MP4 or as a programme.

import { make, updateAttribute, updateText } from "./elements.js";
import { counted, fieldTime, fileName, words } from "./format.js";
import { icon } from "./icons.js";

/** The length of the range until the user changes it, in milliseconds. */
const initialLength = 3600_000;

/**
 * Creates the form for a clip's range.
 *
 * @param {{name: string, base: string, record: () => Object, now: () => number}} options `now` returns the time of the
 *   current frame, in milliseconds since 1970
 */
export function makeClipExport({ name, base, record, now }) {
  const from = make("input", { type: "datetime-local", step: 1 });
  const to = make("input", { type: "datetime-local", step: 1 });
  const link = make("a.button.main", {}, icon("save"), make("span", {}, "Save as MP4"));
  const note = make("p.hint", { role: "status" });
  const element = make("fieldset.clip", {}, make("legend", {}, "Export clip"),
    make("div.clip-row", {},
      make("label.field", {}, make("span", {}, "From"), from),
      make("button.quiet.small", { type: "button", on: { click: () => set(from) } }, "Set start")),
    make("div.clip-row", {},
      make("label.field", {}, make("span", {}, "To"), to),
      make("button.quiet.small", { type: "button", on: { click: () => set(to) } }, "Set end")),
    make("div.clip-end", {}, link), note);
  /** Whether the user has changed the range. */
  let isTouched = false;

  function set(input) {
    isTouched = true;
    input.value = fieldTime(Math.round(now() / 1000) * 1000);
    show();
  }
  element.addEventListener("input", () => {
    isTouched = true;
    show();
  });

  /** Returns the range in the form, or null if it is incomplete or doesn't end after its start. */
  function range() {
    const [begin, end] = [new Date(from.value).getTime(), new Date(to.value).getTime()];
    return end > begin ? { from: begin, to: end } : null;
  }

  function show() {
    const { recordedRanges, edge } = record() ?? { recordedRanges: [] };
    if (!isTouched && recordedRanges.length) {
      // The range consists of whole seconds within the recording.
      const [first, last] = [Math.ceil(recordedRanges[0].from / 1000) * 1000, Math.floor((edge ?? recordedRanges.at(-1).to) / 1000) * 1000];
      from.value = fieldTime(Math.max(first, last - initialLength));
      to.value = fieldTime(last);
    }
    const chosen = range();
    const reason = reasonAgainst(chosen, recordedRanges);
    updateAttribute(link, "aria-disabled", reason ? "true" : null);
    if (reason) {
      link.removeAttribute("href");
      return updateText(note, reason);
    }
    const [begin, end] = [Math.max(chosen.from, recordedRanges[0].from), Math.min(chosen.to, recordedRanges.at(-1).to)];
    updateAttribute(link, "href", `${base}${begin}-${end}.mp4?gaps=1`);
    updateAttribute(link, "download", `${fileName(`${name} ${from.value.replace("T", " ").replaceAll(":", ".")}`)}.mp4`);
    const pieces = recordedRanges.filter((span) => span.to > begin && span.from < end).length;
    const gaps = pieces > 1 ? `, with ${counted(pieces - 1, "gap")}` : "";
    updateText(note,
      `${words((end - begin) / 1000)}${gaps}. The file contains whole segments and may start and end a few seconds outside the range. Save a programme for an exact cut.`
    );
  }

  function reasonAgainst(chosen, recordedRanges) {
    if (!recordedRanges.length) return "Nothing recorded yet.";
    if (!from.value || !to.value) return "Enter a start and an end.";
    if (!chosen) return "The end must be after the start.";
    if (!recordedRanges.some((span) => span.to > chosen.from && span.from < chosen.to)) return "Nothing is recorded in this range.";
    return null;
  }
  /** Returns the range if the user has changed it and it is valid; otherwise null. */
  const selection = () => (isTouched ? range() : null);
  return { element, show, range, selection, add: (...nodes) => element.querySelector(".clip-end").append(...nodes) };
}
