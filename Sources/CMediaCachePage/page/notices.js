// Notices, which disappear after a few seconds, and problems, which remain until they are dismissed or resolved. If
// there are too many, the oldest are removed.

import { sentence } from "./api.js";
import { make, updateAttribute, updateText } from "./elements.js";
import { icon } from "./icons.js";

const noticeDuration = 6000;
const maximumNotices = 4;
const maximumProblems = 20;
/** The rows of the problems by subject, oldest first. */
const problems = new Map();

export function notify(text) {
  const list = document.getElementById("notices");
  const notice = make("p", {}, text);
  list.append(notice);
  while (list.children.length > maximumNotices) list.firstElementChild.remove();
  setTimeout(() => notice.remove(), noticeDuration);
}

/**
 * Reports a problem.
 *
 * @param {string} subject a key for the problem; another report with the same key replaces this one
 * @param {string} text the failure, with advice
 * @param {{label: string, href: string}} [link] a link to the view in which the problem can be resolved
 */
export function reportProblem(subject, text, link) {
  let row = problems.get(subject);
  if (!row) {
    row = make("li", {}, make("p"), make("button.quiet.small.square",
      { type: "button", on: { click: () => dismissProblem(subject) } }, icon("close")));
    problems.set(subject, row);
    document.getElementById("problems-list").prepend(row);
    if (problems.size > maximumProblems) dismissProblem([...problems.keys()][0]);
    showProblems();
  }
  const [paragraph, anchor] = ["p", "a"].map((name) => row.querySelector(name));
  updateText(paragraph, text);
  updateAttribute(row.querySelector("button"), "aria-label", `Dismiss: ${text}`);
  if (link && anchor) {
    updateAttribute(anchor, "href", link.href);
    updateText(anchor, link.label);
  } else if (link) {
    paragraph.after(make("a", { href: link.href }, link.label));
  } else {
    anchor?.remove();
  }
}

/**
 * Reports that a user's action failed, unless it was aborted.
 *
 * @param {string} failure the failure, for example "The download can’t be paused"; also the subject of the problem
 */
export const reportError = (failure, error) => {
  if (error.name !== "AbortError") reportProblem(failure, `${failure}: ${sentence(error.message)}`);
};

export function dismissProblem(subject) {
  const row = problems.get(subject);
  if (!row) return;
  const hadFocus = row.contains(document.activeElement);
  row.remove();
  problems.delete(subject);
  showProblems();
  if (hadFocus) (document.querySelector("#problems-list button") ?? document.getElementById("main")).focus();
}

function showProblems() {
  document.getElementById("problems").hidden = problems.size === 0;
}

export function startProblems() {
  document.getElementById("problems-dismiss").addEventListener("click", () => {
    for (const subject of [...problems.keys()]) dismissProblem(subject);
    document.getElementById("main").focus();
  });
}
