// What happened, told in passing: shown for some seconds, and read out by screen readers.

import { make } from "./elements.js";

const shownFor = 6000;
const most = 4;

/** Tells something. */
export function notify(text) {
  const list = document.getElementById("notices");
  const notice = make("p", {}, text);
  list.append(notice);
  while (list.children.length > most) list.firstElementChild.remove();
  setTimeout(() => notice.remove(), shownFor);
}
