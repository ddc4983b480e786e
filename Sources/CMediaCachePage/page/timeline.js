// The timeline of a player: a slider with the cached and loading ranges, and a thumbnail under the pointer.

import { cachedShare, makeCoverageBar } from "./coveragebar.js";
import { make, updateAttribute, updateText } from "./elements.js";
import { clock, percent, words } from "./format.js";
import { makeThumbnail } from "./thumbnails.js";
import { rangeOf } from "./video.js";

const steps = { ArrowLeft: -10, ArrowDown: -10, ArrowRight: 10, ArrowUp: 10, PageDown: -60, PageUp: 60 };

/**
 * Creates a timeline.
 *
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {(at: number, isCached: (at: number) => boolean) => import("./thumbnails.js").Picture|null} options.pictureAt
 *   returns the picture at a position that is cached
 * @param {AbortSignal} options.signal
 */
export function makeTimeline({ player, pictureAt, signal }) {
  const { video } = player;
  const bar = makeCoverageBar({ id: "coverage-bar", slim: true, signal });
  const label = make("output.timeline-label", { "aria-hidden": "true", hidden: true });
  let coverage = { total: 0, spans: [], loading: [] };
  const thumbnail = makeThumbnail((at) => (isCached(at) ? pictureAt(at, isCached) : null));
  const slider = make("div.timeline",
    { role: "slider", tabindex: 0, "aria-label": "Position", "aria-orientation": "horizontal", "aria-valuemin": 0 },
    bar.element, label, thumbnail.element);
  /** The position under the pressed pointer; null while it isn't pressed. */
  let dragged = null;

  function isCached(at) {
    const range = rangeOf(video);
    if (!range || !coverage.total) return false;
    if (cachedShare(coverage) === 1) return true;
    const place = ((at - range.from) / (range.to - range.from)) * coverage.total;
    return coverage.spans.some(({ start, end }) => place >= start && place < end);
  }

  const show = () => {
    const range = rangeOf(video);
    const at = dragged ?? video.currentTime;
    const length = range ? range.to - range.from : 0;
    bar.head(length ? Math.min(1, Math.max(0, (at - range.from) / length)) : null);
    updateAttribute(slider, "aria-disabled", length ? null : "true");
    updateAttribute(slider, "aria-valuemax", Math.round(length));
    updateAttribute(slider, "aria-valuenow", Math.round(Math.min(length, Math.max(0, at - (range?.from ?? 0)))));
    const place = Number.isFinite(video.duration) ? `${words(at)} of ${words(length)}` : `${words((range?.to ?? 0) - at)} before the live edge`;
    const cached = coverage.total ? `; ${percent(cachedShare(coverage))} cached` : "";
    updateAttribute(slider, "aria-valuetext", length ? place + cached : "Not known yet");
  };
  const seek = (to) => {
    const range = rangeOf(video);
    if (range) player.seek(Math.min(Math.max(to, range.from), range.to));
  };
  const placeAt = (event, range) => {
    const box = slider.getBoundingClientRect();
    return range.from + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (range.to - range.from);
  };
  const hide = () => {
    label.hidden = true;
    thumbnail.show(null);
  };
  const showLabel = (event) => {
    const range = rangeOf(video);
    if (!range) return hide();
    const at = placeAt(event, range);
    const box = slider.getBoundingClientRect();
    const half = Math.min(84, box.width / 2);
    const x = Math.min(Math.max(event.clientX - box.left, half), box.width - half);
    label.hidden = false;
    label.style.setProperty("--x", `${x}px`);
    updateText(label, Number.isFinite(video.duration) ? clock(at) : `−${clock(range.to - at)}`);
    thumbnail.show(at, x);
  };

  slider.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const range = rangeOf(video);
    const step = steps[event.key];
    if (!range) return;
    if (event.key === "Home") seek(range.from);
    else if (event.key === "End") seek(range.to);
    else if (event.key === " ") player.togglePlay();
    else if (step) seek(video.currentTime + step);
    else return;
    event.preventDefault();
  });
  slider.addEventListener("pointerdown", (event) => {
    const range = rangeOf(video);
    if (event.button !== 0 || !range) return;
    event.preventDefault();
    slider.focus();
    slider.setPointerCapture(event.pointerId);
    dragged = placeAt(event, range);
    show();
  });
  slider.addEventListener("pointermove", (event) => {
    showLabel(event);
    const range = rangeOf(video);
    if (dragged === null || !range) return;
    dragged = placeAt(event, range);
    show();
  });
  const release = (event) => {
    if (dragged === null) return;
    if (event.type === "pointerup") seek(dragged);
    dragged = null;
    if (event.pointerType !== "mouse") hide();
    show();
  };
  slider.addEventListener("pointerup", release);
  slider.addEventListener("pointercancel", release);
  slider.addEventListener("pointerleave", hide);
  for (const event of ["timeupdate", "seeking", "seeked", "durationchange", "progress", "emptied"]) {
    video.addEventListener(event, show);
  }
  show();
  return {
    element: slider,
    /** Shows the cached and loading ranges. @param {import("./coverage.js").Coverage} next */
    show(next) {
      coverage = next;
      bar.show(next);
    },
  };
}
