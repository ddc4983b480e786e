// The replay slider: the recorded time of a channel, with a thumbnail for the time under the pointer.

import { make, oncePerFrame, updateAttribute, updateText } from "./elements.js";
import { day, moment, time, words } from "./format.js";
import { paintRuler } from "./ruler.js";
import { onColors } from "./theme.js";
import { makeThumbnail, pictureFrom } from "./thumbnails.js";

/** The delay between the last key press and playback from the chosen time, in milliseconds. */
const commitAfter = 400;
const steps = { ArrowLeft: -10, ArrowDown: -10, ArrowRight: 10, ArrowUp: 10, PageDown: -600, PageUp: 600 };
const scales = [["Everything", 0], ["1 day", 86_400], ["6 hours", 21_600], ["1 hour", 3600], ["10 minutes", 600]];

/**
 * Creates a replay slider. Times are in milliseconds since 1970.
 *
 * @param {{base: string, signal: AbortSignal, jump: (at: number) => void}} options `jump` starts playback at a time
 */
export function makeReplay({ base, signal, jump }) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  const label = make("output.replay-label", { "aria-hidden": "true", hidden: true });
  const thumbnail = makeThumbnail(pictureAt(base));
  const slider = make("div.replay",
    { id: "replay", role: "slider", tabindex: 0, "aria-label": "Replay", "aria-orientation": "horizontal" },
    canvas, label, thumbnail.element);
  const scaleInput = make("select", {}, ...scales.map(([text, seconds]) => make("option", { value: seconds }, text)));
  const scale = make("label.inline", {}, make("span", {}, "Time range"), scaleInput);
  let shown = { recordedRanges: [], gaps: [], programmes: [], edge: null, endName: "the end", at: null, clip: null };
  /** The chosen time, until playback starts there. */
  let chosen = null;
  let range = null;
  let isDragging = false;
  let timer = null;

  const recorded = () => ({ from: shown.recordedRanges[0]?.from ?? 0, to: Math.max(shown.edge ?? 0, shown.recordedRanges.at(-1)?.to ?? 0) });
  const value = () => chosen ?? shown.at;

  const draw = oncePerFrame(() => {
    if (!canvas.isConnected || signal.aborted) return;
    const all = recorded();
    if (!isDragging) range = visible(all, Number(scaleInput.value) * 1000, value());
    const now = Math.min(Math.max(value() ?? all.to, all.from), all.to);
    updateAttribute(slider, "aria-valuemin", all.from);
    updateAttribute(slider, "aria-valuemax", all.to);
    updateAttribute(slider, "aria-valuenow", Math.round(now));
    updateAttribute(slider, "aria-valuetext", all.to ? inWords(now, all.to, shown.endName) : "Nothing recorded yet");
    updateAttribute(slider, "aria-disabled", all.to ? null : "true");
    paintRuler(canvas, { ...shown, range, at: now, isMoved: chosen !== null });
  });

  const commit = () => {
    clearTimeout(timer);
    const target = chosen;
    chosen = null;
    if (target !== null) jump(target);
  };
  const move = (to) => {
    const all = recorded();
    if (!all.to) return;
    chosen = Math.min(Math.max(to, all.from), all.to);
    draw();
  };
  const momentAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return range.from + share * (range.to - range.from);
  };
  const showLabel = (event) => {
    if (!range?.to) return;
    const to = momentAt(event);
    const box = canvas.getBoundingClientRect();
    label.hidden = false;
    updateText(label, moment(to));
    const x = Math.min(Math.max(event.clientX - box.left, 60), box.width - 60);
    label.style.setProperty("--x", `${x}px`);
    thumbnail.show(shown.recordedRanges.some(({ from, to: until }) => to >= from && to < until) ? to : null, x);
  };

  slider.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = recorded();
    const from = value() ?? all.to;
    const step = steps[event.key];
    if (event.key === "Home") move(all.from);
    else if (event.key === "End") move(all.to);
    else if (event.key === "Enter" || event.key === " ") commit();
    else if (step) move(from + step * 1000 * (event.shiftKey && Math.abs(step) === 10 ? 6 : 1));
    else return;
    event.preventDefault();
    clearTimeout(timer);
    if (chosen !== null) timer = setTimeout(commit, commitAfter);
  });
  slider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !range?.to) return;
    event.preventDefault();
    slider.focus();
    slider.setPointerCapture(event.pointerId);
    isDragging = true;
    clearTimeout(timer);
    move(momentAt(event));
  });
  slider.addEventListener("pointermove", (event) => {
    showLabel(event);
    if (isDragging) move(momentAt(event));
  });
  const release = (event) => {
    if (!isDragging) return;
    isDragging = false;
    if (event.type === "pointerup") commit();
    else chosen = null;
    draw();
  };
  slider.addEventListener("pointerup", release);
  slider.addEventListener("pointercancel", release);
  slider.addEventListener("pointerleave", () => {
    label.hidden = true;
    thumbnail.show(null);
  });
  scaleInput.addEventListener("change", draw);
  signal.addEventListener("abort", () => clearTimeout(timer));
  new ResizeObserver(draw).observe(canvas);
  onColors(draw, signal);

  return {
    element: slider, scale,
    /** Returns the time at a fraction of the shown time range, from 0 to 1, and forgets a chosen time. */
    timeAt(share) {
      clearTimeout(timer);
      chosen = null;
      const { from, to } = range ?? recorded();
      return from + share * (to - from);
    },
    show(next) {
      shown = next;
      draw();
    },
  };
}

/** Returns the time range to draw: everything, or a range of the given length around a time. */
function visible(all, length, around) {
  if (!length || all.to - all.from <= length) return all.to > all.from ? all : { from: all.to - 60_000, to: all.to };
  const from = Math.min(Math.max((around ?? all.to) - length / 2, all.from), all.to - length);
  return { from, to: from + length };
}

/** Describes a time and its distance from the end of the recording, which `endName` names. */
function inWords(at, end, endName) {
  const behind = (end - at) / 1000;
  return `${day(at)}, ${time(at)}, ${behind < 15 ? endName : `${words(behind)} before ${endName}`}`;
}

/** The distance between thumbnails, in milliseconds. */
const grid = 10_000;
/** The offset of thumbnails in milliseconds, to avoid whole seconds, at which segments often start. */
const offset = 700;

/** Returns the picture at a time. @param {string} base the prefix of the channel's URLs */
const pictureAt = (base) => (at) => pictureFrom(`${base}${Math.floor(at / grid) * grid + offset}.jpg`);
