// The slider over all that is kept of a channel.

import { make, mark, oncePerFrame, say } from "./elements.js";
import { day, moment, time, words } from "./format.js";
import { paintRuler } from "./ruler.js";
import { onColours } from "./theme.js";
import { makeThumbnail } from "./thumbnail.js";

/** Arrow keys may be pressed again and again: it plays from where they end. */
const settleAfter = 400;
const steps = { ArrowLeft: -10, ArrowDown: -10, ArrowRight: 10, ArrowUp: 10, PageDown: -600, PageUp: 600 };
const scales = [["All that is kept", 0], ["A day", 86_400], ["6 hours", 21_600], ["1 hour", 3600], ["10 minutes", 600]];

/**
 * @param {{base: string, signal: AbortSignal, jump: (at: number) => void, at: () => number}} options `jump` plays from a
 *   moment; `at` is the moment that is shown
 */
export function makeReplay({ base, signal, jump, at }) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  const label = make("output.replay-label", { "aria-hidden": "true", hidden: true });
  const thumbnail = makeThumbnail(base);
  const slider = make("div.replay",
    { id: "replay", role: "slider", tabindex: 0, "aria-label": "Replay", "aria-orientation": "horizontal" },
    canvas, label, thumbnail.element
  );
  const scaleInput = make("select", {}, ...scales.map(([text, seconds]) => make("option", { value: seconds }, text)));
  const scale = make("label.inline", {}, make("span", {}, "Shown"), scaleInput);
  let shown = { kept: [], gaps: [], programmes: [], edge: null, at: null, stretch: null };
  /** Where somebody has put it, until it plays from there. */
  let wanted = null;
  let range = null;
  let isDragging = false;
  let timer = null;

  const whole = () => ({ from: shown.kept[0]?.from ?? 0, to: Math.max(shown.edge ?? 0, shown.kept.at(-1)?.to ?? 0) });
  const value = () => wanted ?? shown.at;

  const draw = oncePerFrame(() => {
    if (!canvas.isConnected || signal.aborted) return;
    const all = whole();
    if (!isDragging) range = visible(all, Number(scaleInput.value) * 1000, value());
    const now = Math.min(Math.max(value() ?? all.to, all.from), all.to);
    mark(slider, "aria-valuemin", all.from);
    mark(slider, "aria-valuemax", all.to);
    mark(slider, "aria-valuenow", Math.round(now));
    mark(slider, "aria-valuetext", all.to ? inWords(now, all.to) : "Nothing is kept yet");
    mark(slider, "aria-disabled", all.to ? null : "true");
    paintRuler(canvas, { ...shown, range, at: now, isMoved: wanted !== null });
  });

  const settle = () => {
    clearTimeout(timer);
    const target = wanted;
    wanted = null;
    if (target !== null) jump(target);
  };
  const move = (to) => {
    const all = whole();
    if (!all.to) return;
    wanted = Math.min(Math.max(to, all.from), all.to);
    draw();
  };
  const momentAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return range.from + share * (range.to - range.from);
  };
  const tell = (event) => {
    if (!range?.to) return;
    const to = momentAt(event);
    const box = canvas.getBoundingClientRect();
    label.hidden = false;
    say(label, moment(to));
    const x = Math.min(Math.max(event.clientX - box.left, 60), box.width - 60);
    label.style.setProperty("--x", `${x}px`);
    thumbnail.show(shown.kept.some(({ from, to: until }) => to >= from && to < until) ? to : null, x);
  };

  slider.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = whole();
    const from = value() ?? all.to;
    const step = steps[event.key];
    if (event.key === "Home") move(all.from);
    else if (event.key === "End") move(all.to);
    else if (event.key === "Enter" || event.key === " ") settle();
    else if (step) move(from + step * 1000 * (event.shiftKey && Math.abs(step) === 10 ? 6 : 1));
    else return;
    event.preventDefault();
    clearTimeout(timer);
    if (wanted !== null) timer = setTimeout(settle, settleAfter);
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
    tell(event);
    if (isDragging) move(momentAt(event));
  });
  const release = (event) => {
    if (!isDragging) return;
    isDragging = false;
    if (event.type === "pointerup") settle();
    else wanted = null;
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
  onColours(draw, signal);

  return {
    element: slider, scale,
    show(next) {
      shown = { ...next, at: at() };
      draw();
    },
  };
}

/** The stretch of time that is drawn: all of it, or so much around where one is. */
function visible(all, length, around) {
  if (!length || all.to - all.from <= length) return all.to > all.from ? all : { from: all.to - 60_000, to: all.to };
  const from = Math.min(Math.max((around ?? all.to) - length / 2, all.from), all.to - length);
  return { from, to: from + length };
}

function inWords(at, edge) {
  const behind = (edge - at) / 1000;
  return `${day(at)}, ${time(at)}, ${behind < 15 ? "the live edge" : `${words(behind)} before the live edge`}`;
}
