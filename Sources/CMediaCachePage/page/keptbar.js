// The bar below a video: what is kept, what is on its way, and where the play head is.

import { clean, make, mark } from "./elements.js";
import { counted, percent } from "./format.js";
import { colour, onColours } from "./theme.js";

/**
 * A picture of something from its beginning to its end.
 *
 * @typedef {Object} Picture
 * @property {number} total in bytes or seconds; 0 while nobody knows
 * @property {{start: number, end: number}[]} spans what is here, in order
 * @property {{start: number, end: number}[]} fetching what is on its way
 */

/**
 * Makes a bar.
 *
 * @param {{id?: string, seek?: (share: number) => void, slim?: boolean, signal: AbortSignal}} options `seek` is called with a place from 0 to 1
 * @returns {{element: HTMLCanvasElement, show: (picture: Picture) => void, head: (share: number|null) => void}}
 */
export function makeBar({ id, seek, slim, signal }) {
  const canvas = make(
    `canvas.bar${slim ? ".slim" : ""}`,
    { id, role: "img", "aria-label": "Nobody knows yet what is kept" }
  );
  let picture = { total: 0, spans: [], fetching: [] };
  let place = null;
  let isAsked = false;

  const draw = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      if (canvas.isConnected) paint(canvas, picture, place);
    });
  };
  new ResizeObserver(draw).observe(canvas);
  onColours(draw, signal);
  if (seek) {
    canvas.classList.add("seekable");
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect();
      seek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
    });
  }
  return {
    element: canvas,
    show(next) {
      picture = next;
      const kept = shareKept(picture);
      mark(canvas, "data-kept", kept.toFixed(4));
      mark(canvas, "data-fetching", picture.fetching.length);
      mark(canvas, "aria-label", inWords(picture, kept));
      draw();
    },
    head(share) {
      if (share === place) return;
      place = share;
      mark(canvas, "data-head", share === null ? null : share.toFixed(4));
      draw();
    },
  };
}

/** How much of a picture is here, from 0 to 1. */
export function shareKept({ total, spans }) {
  return total > 0 ? Math.min(1, spans.reduce((sum, { start, end }) => sum + end - start, 0) / total) : 0;
}

function inWords({ total, spans, fetching }, kept) {
  if (!total) return "Nobody knows yet what is kept";
  if (!spans.length) return fetching.length ? "Nothing is kept yet; it is on its way" : "Nothing is kept yet";
  if (kept >= 1) return "All of it is kept";
  return `${percent(kept)} is kept, in ${counted(spans.length, "piece")}${fetching.length ? "; more is on its way" : ""}`;
}

function paint(canvas, { total, spans, fetching }, place) {
  const { pen, width, height } = clean(canvas);
  const margin = canvas.classList.contains("slim") ? 0 : 6;
  const [top, thickness] = [margin, height - 2 * margin];
  pen.save();
  pen.beginPath();
  pen.roundRect(0, top, width, thickness, Math.min(5, thickness / 2));
  pen.clip();
  pen.fillStyle = colour("hole");
  pen.fillRect(0, top, width, thickness);
  if (total > 0) {
    fill(pen, spans, total, width, top, thickness, colour("kept"));
    fill(pen, fetching, total, width, top, thickness, colour("fresh"));
  }
  pen.restore();
  if (place === null || !Number.isFinite(place)) return;
  const x = Math.min(Math.max(place * width, 2), width - 2);
  pen.fillStyle = colour("card");
  pen.fillRect(x - 3, 0, 6, height);
  pen.fillStyle = colour("head");
  pen.beginPath();
  pen.roundRect(x - 2, 0, 4, height, 2);
  pen.fill();
}

/** Stretches, no narrower than can be seen; those that touch on the screen are drawn as one. */
function fill(pen, stretches, total, width, top, height, style) {
  pen.fillStyle = style;
  let [from, to] = [null, null];
  for (const { start, end } of stretches) {
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
