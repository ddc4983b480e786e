// The router, which shows the view for the fragment of the address.

import { make, updateAttribute } from "./elements.js";
import { icon } from "./icons.js";

const links = [
  ["library", "Library"], ["downloads", "Downloads"], ["channels", "Channels"], ["played", "Played"], ["storage", "Storage"],
  ["settings", "Settings"],
];

let current = null;
let views = {};
/** The fragment of the last view that wasn't a player. */
let previousHash = null;

/**
 * Starts the router.
 *
 * @param {Object<string, (view: {main: HTMLElement, signal: AbortSignal, parts: string[]}) => string>} all the views,
 *   by the first part of the address. Each fills `main`, stops when `signal` is aborted, and returns its title.
 */
export function startRouter(all) {
  views = all;
  const nav = document.getElementById("views");
  nav.replaceChildren(...links.map(([name, label]) => make("a",
    { href: `#/${name}`, data: { view: name } }, icon(name), make("span", {}, label))));
  nav.hidden = false;
  document.getElementById("add").hidden = false;
  addEventListener("hashchange", () => show(true));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  show(false);
}

export function go(address, replace = false) {
  if (replace) location.replace(address);
  else location.hash = address;
}

/** Returns the address of the previous view, for a back link. */
export const backTo = () => previousHash ?? "#/library";

function show(isNavigation) {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode);
  const name = Object.hasOwn(views, parts[0] ?? "") ? parts[0] : "library";
  if (current) {
    current.abort.abort();
    if (current.hash !== location.hash && current.name !== "play") previousHash = current.hash || "#/library";
  }
  current = { abort: new AbortController(), hash: location.hash, name };
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  const main = document.getElementById("main");
  main.replaceChildren();
  main.className = `view-${name}`;
  for (const link of document.querySelectorAll("#views a")) {
    updateAttribute(link, "aria-current", link.dataset.view === name ? "page" : null);
  }
  const title = views[name]({ main, signal: current.abort.signal, parts: parts.slice(1) });
  document.title = `${title} – MediaCache`;
  if (!isNavigation) return;
  scrollTo(0, 0);
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

function decode(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}
