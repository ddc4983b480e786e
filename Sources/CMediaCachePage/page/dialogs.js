// Modal dialogs. Escape, a click outside and navigation close them, and the focus returns to the element that had it
// before.

import { sentence } from "./api.js";
import { make, updateText } from "./elements.js";

let count = 0;

/**
 * Shows a dialog with a form.
 *
 * @param {Object} options
 * @param {string} options.title the heading and accessible name
 * @param {Node[]} options.content
 * @param {{label: string, kind?: string, id?: string, act?: () => (void|Promise<void>)}[]} options.buttons `act` runs
 *   before the dialog closes, if the fields are valid. An error it throws is shown and keeps the dialog open. A button
 *   without `act` closes the dialog. The first button is the default; it's shown last.
 * @param {string} [options.kind] a CSS class
 * @returns {HTMLDialogElement}
 */
export function showDialog({ title, content, buttons, kind }) {
  const id = `dialog-${++count}`;
  const before = document.activeElement;
  const alert = make("p.error", { role: "alert" });
  const form = make("form", { novalidate: true }, make("h2", { id, tabindex: "-1" }, title), ...content, alert);
  const dialog = make(`dialog${kind ? `.${kind}` : ""}`, { "aria-labelledby": id }, form);
  const row = make("div.buttons");
  let first = null;
  for (const { label, kind: buttonKind = "quiet", act, id: buttonID } of buttons) {
    const button = make(`button.${buttonKind}`, { type: "button", id: buttonID }, label);
    button.addEventListener("click", async () => {
      updateText(alert, "");
      if (act) {
        if (form.hasAttribute("aria-busy") || !form.reportValidity()) return;
        form.setAttribute("aria-busy", "true");
        try {
          await act();
        } catch (error) {
          updateText(alert, sentence(error.message));
          return;
        } finally {
          form.removeAttribute("aria-busy");
        }
      }
      dialog.close();
    });
    first ??= button;
    row.prepend(button);
  }
  form.append(row);
  // Enter in a field presses the first button.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    first.click();
  });
  dialog.addEventListener("pointerdown", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();

  dialog.addEventListener("close", () => {
    dialog.remove();
    // After navigation, the new view has the focus.
    if (document.activeElement && document.activeElement !== document.body) return;
    before?.focus();
    // The action may have removed or hidden the element that opened the dialog.
    if (document.activeElement !== before) document.getElementById("main").focus();
  });
  return dialog;
}

/** Asks for confirmation of a destructive action. `act` runs if the user confirms. */
export function confirm({ title, text, yes, act }) {
  showDialog({
    title,
    content: [make("p", {}, text)],
    buttons: [{ label: yes, kind: "danger", act }, { label: "Cancel" }],
    kind: "narrow",
  });
}

export function field(label, input, hint) {
  return make("label.field", {}, make("span", {}, label), input, hint && make("small", {}, hint));
}

/** Creates a checkbox, or an input of the type in `properties`, with its label. */
export function check(label, properties = {}) {
  const input = make("input", { type: "checkbox", ...properties });
  return { input, label: make("label.check", {}, input, make("span", {}, label)) };
}

/** Creates a list of names and values. Pairs without a value are omitted. */
export function facts(pairs) {
  return make("dl.facts", {}, ...pairs.filter(([, text]) => text).flatMap(([name, text]) => [
    make("div", {}, make("dt", {}, name), make("dd", {}, text)),
  ]));
}
