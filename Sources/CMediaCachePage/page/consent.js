// Consent to the playback of a URL. Any site can link to this page's player, and for playback the server sends the
// stored header fields to the URL's origin. URLs of assets and of the page's own controls need no consent.

import { routes } from "./address.js";
import { make } from "./elements.js";
import { withoutUser } from "./format.js";
import { assets } from "./store.js";

const storageKey = "mediacache.allowed";
const most = 200;
/** The URLs that the user has allowed in this tab, as entered, oldest first. They persist across reloads. */
let allowed = null;

function all() {
  if (allowed) return allowed;
  try { allowed = JSON.parse(sessionStorage.getItem(storageKey)) ?? []; } catch { allowed = []; }
  return allowed;
}

export function allowPlayback(url) {
  allowed = [...all().filter((other) => withoutUser(other) !== withoutUser(url)), url].slice(-most);
  try { sessionStorage.setItem(storageKey, JSON.stringify(allowed)); } catch { /* remembered until the page is closed */ }
}

/** Returns the allowed URL, as entered, that is equal to `url` except for a user name and password. */
const found = (url) => all().find((other) => other === url || withoutUser(other) === url);

export const isPlaybackAllowed = (url) => found(url) !== undefined || assets.all.some((asset) => asset.url === url);

/** Returns a URL with the user name and password that the user entered for it. */
export const withEnteredUser = (url) => found(url) ?? url;

/**
 * Asks for consent instead of showing the player. Returns the title of the view.
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
      "You followed a link. If you play the URL, the server requests it with the login and header fields stored for its site."),
    make("p.buttons", {},
      make("button.main", { type: "button", on: { click() { allowPlayback(url); play(); } } }, "Play"),
      make("a.link", { href: routes.library }, "Back to the library"))));
  return "Play this URL?";
}
