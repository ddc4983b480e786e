// The coverage bar below a video: cached ranges, loading ranges, and the playhead.

import { make, oncePerFrame, prepareCanvas, updateAttribute } from "./elements.js";
import { counted, percent } from "./format.js";
import { color, onColors } from "./theme.js";

/**
 * Creates a coverage bar.
 *
 * @param {{id?: string, slim?: boolean, signal: AbortSignal}} options
 * @returns {{element: HTMLCanvasElement, show: (coverage: import("./coverage.js").Coverage) => void,
 *   head: (share: number|null) => void}}
 */
export function makeCoverageBar({ id, slim, signal }) {
  const canvas = make(`canvas.bar${slim ? ".slim" : ""}`, { id, role: "img", "aria-label": "Cached ranges unknown" });
  let coverage = { total: 0, spans: [], loading: [] };
  let position = null;

  const draw = oncePerFrame(() => { if (canvas.isConnected) paint(canvas, coverage, position); });
  new ResizeObserver(draw).observe(canvas);
  onColors(draw, signal);
  return {
    element: canvas,
    show(next) {
      coverage = next;
      const share = cachedShare(coverage);
      updateAttribute(canvas, "data-cached", share.toFixed(4));
      updateAttribute(canvas, "data-loading", coverage.loading.length);
      updateAttribute(canvas, "aria-label", inWords(coverage, share));
      draw();
    },
    head(share) {
      if (share === position) return;
      position = share;
      updateAttribute(canvas, "data-head", share === null ? null : share.toFixed(4));
      draw();
    },
  };
}

/** Returns the cached fraction, from 0 to 1. */
export function cachedShare({ total, spans }) {
  return total > 0 ? Math.min(1, spans.reduce((sum, { start, end }) => sum + end - start, 0) / total) : 0;
}

function inWords({ total, spans, loading }, share) {
  if (!total) return "Cached ranges unknown";
  if (!spans.length) return loading.length ? "Nothing cached yet; loading" : "Nothing cached yet";
  if (share >= 1) return "Fully cached";
  return `${percent(share)} cached, in ${counted(spans.length, "range")}${loading.length ? "; loading more" : ""}`;
}

/** The height of the played part at the bottom of the bar, in CSS pixels. */
const playedHeight = 2;

function paint(canvas, { total, spans, loading }, position) {
  const { pen, width, height } = prepareCanvas(canvas);
  const isSlim = canvas.classList.contains("slim");
  const margin = isSlim ? Math.round(height * 0.3) : 6;
  const [top, thickness] = [margin, height - 2 * margin];
  const x = position === null || !Number.isFinite(position) ? null : position * width;
  pen.save();
  pen.beginPath();
  pen.roundRect(0, top, width, thickness, Math.min(5, thickness / 2));
  pen.clip();
  pen.fillStyle = color("missing");
  pen.fillRect(0, top, width, thickness);
  if (total > 0) {
    fill(pen, spans, total, width, top, thickness, color("cached"));
    fill(pen, loading, total, width, top, thickness, color("loading"));
  }
  if (x !== null) {
    pen.fillStyle = color("playhead");
    pen.fillRect(0, top + thickness - playedHeight, x, playedHeight);
  }
  pen.restore();
  if (x !== null) paintHead(pen, x, width, height, isSlim);
}

/** Paints the playhead, a disc on a slim bar and a line on others, with a border in the color of the background. */
function paintHead(pen, at, width, height, isSlim) {
  const radius = isSlim ? height / 2 - 1 : 2;
  const x = Math.min(Math.max(at, radius + 1), width - radius - 1);
  for (const [name, margin] of [["card", 1], ["playhead", 0]]) {
    const [left, span] = [x - radius - margin, 2 * (radius + margin)];
    const top = isSlim ? 1 - margin : 0;
    pen.fillStyle = color(name);
    pen.beginPath();
    pen.roundRect(left, top, span, height - 2 * top, radius);
    pen.fill();
  }
}

/** Draws each span at least one pixel wide, and joins adjacent spans, so that no seams are visible. */
function fill(pen, spans, total, width, top, height, style) {
  pen.fillStyle = style;
  let [from, to] = [null, null];
  for (const { start, end } of spans) {
    const left = (start / total) * width;
    const right = Math.max((end / total) * width, left + 1);
    if (from !== null && left - to < 0.25) {
      to = Math.max(to, right);
      continue;
    }
    if (from !== null) pen.fillRect(from, top, to - from, height);
    [from, to] = [left, right];
  }
  if (from !== null) pen.fillRect(from, top, to - from, height);
}
