// Where somebody was in what plays: a reload goes on there. It's known to the tab alone, and forgotten with it.

import { make, say } from "./elements.js";
import { clock } from "./format.js";

/** Nearer to the beginning or the end, in seconds, it isn't worth a word. */
const margin = 5;

/**
 * Keeps the place of a video, and offers to begin anew where it begins at one.
 *
 * @param {HTMLVideoElement} video
 * @param {string} name what it plays
 * @param {AbortSignal} signal ends it
 */
export function keepPlace(video, name, signal) {
  const key = `mediacache.place ${name}`;
  let from = 0;
  try { from = Number(sessionStorage.getItem(key)) || 0; } catch { /* from the beginning */ }
  const text = make("span");
  const again = make("button.quiet.small", { type: "button" }, "Begin anew");
  const element = make("p.place", { role: "status", hidden: from <= 0 }, text, " ", again);
  say(text, `It began at ${clock(from)}, where you were.`);
  again.addEventListener("click", () => {
    video.currentTime = 0;
    video.play().catch(() => {});
    element.hidden = true;
    video.focus();
  });

  const keep = () => {
    const { currentTime: at, duration } = video;
    // Of what has failed, or isn't there yet, nobody knows; and a live stream has no places.
    if (video.error || video.readyState === 0 || video.seeking || !Number.isFinite(duration)) return;
    try {
      if (at > margin && at < duration - margin) sessionStorage.setItem(key, at.toFixed(1));
      else sessionStorage.removeItem(key);
    } catch { /* then it isn't kept */ }
  };
  for (const event of ["timeupdate", "seeked", "pause"]) video.addEventListener(event, keep, { signal });
  return { element, from };
}
