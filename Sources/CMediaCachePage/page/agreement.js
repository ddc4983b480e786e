// Agreement to play a URL. Any site can link to this page's player, and playing makes the server fetch the URL with the
// header fields that it has for that origin. A URL from the page's own controls, or of an asset, is agreed to.

import { make } from "./elements.js";
import { routes } from "./address.js";
import { assets } from "./store.js";

/** The URLs agreed to in this tab. A reload remembers them; another tab doesn't. */
const place = "mediacache.agreed";
const most = 200;
let agreed = null;

function all() {
  if (agreed) return agreed;
  try { agreed = JSON.parse(sessionStorage.getItem(place)) ?? []; } catch { agreed = []; }
  return agreed;
}

/** Notes that the user wants a URL to be played. */
export function agree(url) {
  agreed = [...all().filter((other) => other !== url), url].slice(-most);
  try { sessionStorage.setItem(place, JSON.stringify(agreed)); } catch { /* until the page is closed */ }
}

/** Whether the user wants a URL to be played. */
export const hasAgreed = (url) => all().includes(url) || assets.all.some((asset) => asset.url === url);

/**
 * Shows a question in place of the player.
 *
 * @param {HTMLElement} main
 * @param {string} url
 * @param {() => void} play called when the user agrees
 */
export function askToPlay(main, url, play) {
  main.append(make("div.empty", {},
    make("h1", {}, "Play this URL?"),
    make("p.address", {}, url),
    make("p", {},
      "A link led here. Playing makes the server fetch the URL, with the login and header fields that it has for that site."),
    make("p.buttons", {},
      make("button.main", { type: "button", on: { click() { agree(url); play(); } } }, "Play"),
      make("a.link", { href: routes.library }, "To the library"))));
  return "Play this URL?";
}
