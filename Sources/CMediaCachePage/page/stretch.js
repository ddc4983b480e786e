// The stretch of a channel that is to be saved: from when, to when.

import { make, mark, say } from "./elements.js";
import { counted, fieldTime, fileName, words } from "./format.js";
import { icon } from "./icons.js";

const usual = 3600_000;

/**
 * @param {{name: string, base: string, record: () => Object, now: () => number, signal: AbortSignal}} options
 */
export function makeStretch({ name, base, record, now }) {
  const from = make("input", { type: "datetime-local", step: 1 });
  const to = make("input", { type: "datetime-local", step: 1 });
  const link = make("a.button.main", {}, icon("save"), make("span", {}, "Save as MP4"));
  const note = make("p.hint", { role: "status" });
  const element = make("fieldset.stretch", {}, make("legend", {}, "Save a stretch"),
    make("div.stretch-row", {},
      make("label.field", {}, make("span", {}, "From"), from),
      make("button.quiet.small", { type: "button", on: { click: () => put(from) } }, "From here")),
    make("div.stretch-row", {},
      make("label.field", {}, make("span", {}, "To"), to),
      make("button.quiet.small", { type: "button", on: { click: () => put(to) } }, "To here")),
    make("div.stretch-end", {}, link), note);
  /** Until somebody has said something, it is the last hour. */
  let isTouched = false;

  function put(input) {
    isTouched = true;
    input.value = fieldTime(Math.round(now() / 1000) * 1000);
    show();
  }
  for (const input of [from, to]) {
    input.addEventListener("input", () => {
      isTouched = true;
      show();
    });
  }

  /** The stretch, as far as something of it is kept; null where it's none. */
  function marks() {
    const [begin, end] = [new Date(from.value).getTime(), new Date(to.value).getTime()];
    return end > begin ? { from: begin, to: end } : null;
  }

  function show() {
    const { kept, edge } = record() ?? { kept: [] };
    if (!isTouched && kept.length) {
      // Whole seconds that lie within what is kept.
      const [first, last] = [Math.ceil(kept[0].from / 1000) * 1000, Math.floor((edge ?? kept.at(-1).to) / 1000) * 1000];
      from.value = fieldTime(Math.max(first, last - usual));
      to.value = fieldTime(last);
    }
    const chosen = marks();
    const reason = reasonAgainst(chosen, kept);
    mark(link, "aria-disabled", reason ? "true" : null);
    if (reason) {
      link.removeAttribute("href");
      return say(note, reason);
    }
    const [begin, end] = [Math.max(chosen.from, kept[0].from), Math.min(chosen.to, kept.at(-1).to)];
    mark(link, "href", `${base}${begin}-${end}.mp4?gaps=1`);
    mark(link, "download", `${fileName(`${name} ${from.value.replace("T", " ").replaceAll(":", ".")}`)}.mp4`);
    const pieces = kept.filter((span) => span.to > begin && span.from < end).length;
    say(note,
      `${words((end - begin) / 1000)}${pieces > 1 ? `, with ${counted(pieces - 1, "gap")} in it` : ""}. A file has whole segments: it may begin and end some seconds farther out. A programme is cut to the moment.`
    );
  }

  function reasonAgainst(chosen, kept) {
    if (!kept.length) return "Nothing is kept yet.";
    if (!from.value || !to.value) return "Say from when and to when.";
    if (!chosen) return "The end has to lie after the beginning.";
    if (!kept.some((span) => span.to > chosen.from && span.from < chosen.to)) return "Nothing is kept of that time.";
    return null;
  }
  /** What somebody has marked. */
  const marked = () => (isTouched ? marks() : null);
  return { element, show, marks, marked, add: (...nodes) => element.querySelector(".stretch-end").append(...nodes) };
}
