// The field at the top: a URL is looked at before anything starts.

import { api, sentence } from "./api.js";
import { say } from "./elements.js";
import { choose } from "./choosing.js";

const pattern = /^https?:\/\/\S+$/i;

/** Makes the field work, and pasting anywhere on the page. */
export function startAdding() {
  const form = document.getElementById("add");
  const input = document.getElementById("add-url");
  const error = document.getElementById("add-error");
  const button = form.querySelector("button");
  let running = null;

  async function look() {
    const text = input.value.trim();
    forget();
    say(error, "");
    input.removeAttribute("aria-invalid");
    if (!text) return fail("Paste or type a URL first: of a film, a song, or a stream’s playlist (.m3u8).");
    if (!pattern.test(text)) return fail("This isn’t a URL that can be fetched: it has to begin with http:// or https://.");
    const abort = (running = new AbortController());
    form.setAttribute("aria-busy", "true");
    say(button, "Looking…");
    try {
      const found = await api.probe(text, abort.signal);
      choose(found, text, () => { input.value = ""; });
    } catch (problem) {
      if (problem.name !== "AbortError") fail(problem.advice ?? sentence(problem.message));
    } finally {
      if (running === abort) {
        form.removeAttribute("aria-busy");
        say(button, "Add");
      }
    }
  }

  /** What was asked of another text is no answer to this one. */
  function forget() {
    running?.abort();
    running = null;
    form.removeAttribute("aria-busy");
    say(button, "Add");
  }

  function fail(text) {
    say(error, text);
    input.setAttribute("aria-invalid", "true");
    input.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  input.addEventListener("input", () => {
    forget();
    say(error, "");
    input.removeAttribute("aria-invalid");
  });
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
    const text = event.clipboardData?.getData("text").trim() ?? "";
    if (!pattern.test(text)) return;
    event.preventDefault();
    input.value = text;
    look();
  });
}
