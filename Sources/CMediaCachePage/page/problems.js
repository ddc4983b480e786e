// What went wrong and wants a person's eye, in a list that stays until it's dismissed.

import { make, say } from "./elements.js";
import { sentence } from "./api.js";
import { icon } from "./icons.js";

const most = 20;
/** Rows by what they are about: the same again replaces its text. */
const rows = new Map();

/**
 * Reports a problem.
 *
 * @param {string} subject what it's about: one row for each
 * @param {string} text what happened, and what can be done
 * @param {{label: string, href: string}} [link] where to do it
 */
export function report(subject, text, link) {
  const known = rows.get(subject);
  if (known) {
    say(known.querySelector("p"), text);
    return;
  }
  const row = make("li", {},
    make("p", {}, text),
    link && make("a", { href: link.href }, link.label),
    make("button.quiet.small.square", {
      type: "button", "aria-label": `Dismiss: ${text}`, on: { click: () => settle(subject) },
    }, icon("close")));
  rows.set(subject, row);
  document.getElementById("problems-list").prepend(row);
  if (rows.size > most) settle([...rows.keys()][0]);
  show();
}

/** Takes a problem off the list, if it's there. */
export function settle(subject) {
  const row = rows.get(subject);
  if (!row) return;
  const hadFocus = row.contains(document.activeElement);
  row.remove();
  rows.delete(subject);
  show();
  if (hadFocus) (document.querySelector("#problems-list button") ?? document.getElementById("main")).focus();
}

/** Reports an error that something which a person asked for ended with. */
export const reportError = (what, error) => {
  if (error.name !== "AbortError") report(what, `${what}: ${sentence(error.message)}`);
};

function show() {
  document.getElementById("problems").hidden = rows.size === 0;
}

/** Makes the list work. */
export function startProblems() {
  document.getElementById("problems-dismiss").addEventListener("click", () => {
    for (const subject of [...rows.keys()]) settle(subject);
    document.getElementById("main").focus();
  });
}
