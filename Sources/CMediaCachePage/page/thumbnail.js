// A picture of the moment below the pointer, where the server can make some.

import { make } from "./elements.js";

const restFor = 250;
/** Pictures lie this far apart: moving the pointer a little asks for nothing. */
const grid = 10_000;
/** Off the whole seconds, with which segments often begin. */
const offset = 700;
/** A server without a decoder has no picture of any moment. */
const mostFailures = 3;

/** @param {string} base what the channel's paths stand behind */
export function makeThumbnail(base) {
  const image = make("img", { alt: "" });
  const element = make("div.thumbnail", { "aria-hidden": "true", hidden: true }, image);
  let timer = null;
  let failures = 0;

  let isWanted = false;
  image.addEventListener("load", () => {
    failures = 0;
    element.hidden = !isWanted;
  });
  image.addEventListener("error", () => {
    failures += 1;
    element.hidden = true;
  });
  return {
    element,
    /** Shows a moment's picture at a place, or none. */
    show(at, x) {
      clearTimeout(timer);
      isWanted = at !== null && failures < mostFailures;
      if (!isWanted) {
        element.hidden = true;
        return;
      }
      element.style.setProperty("--x", `${x}px`);
      timer = setTimeout(() => {
        const source = `${base}${Math.floor(at / grid) * grid + offset}.jpg`;
        if (image.src !== source) image.src = source;
        else element.hidden = !image.complete || !image.naturalWidth;
      }, restFor);
    },
  };
}
