// The form that asks for the key.

import { make } from "./elements.js";
import { keep } from "./key.js";

/** Shows the form in place of everything else. @param {boolean} wasWrong whether the server has refused a key */
export function askForKey(wasWrong) {
  const main = document.getElementById("main");
  if (main.querySelector("#key")) return;
  for (const id of ["views", "add"]) document.getElementById(id).hidden = true;
  document.querySelector("dialog")?.close();
  const input = make("input", {
    id: "key", type: "password", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": "key-where key-error",
  });
  const error = make("p.error", { id: "key-error", role: "alert" });
  const form = make("form.key-form", { novalidate: true },
    make("h1", {}, "This page needs the cache’s key"),
    make("p", { id: "key-where" },
      "The program prints an address with the key in it when it starts: open that, whole. Or copy the key out of the file ",
      make("code", {}, "key"), " in the cache folder; ", make("code", {}, "mediacache serve"), " says where that folder is."),
    make("label.field", {}, make("span", {}, "Key"), input),
    error,
    make("div.buttons", {}, make("button.main", { type: "submit" }, "Open")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim().replace(/^.*#key=/, "");
    if (!text) {
      error.textContent = "Type or paste the key first.";
      input.focus();
      return;
    }
    keep(text);
    location.reload();
  });
  main.className = "view-key";
  main.replaceChildren(form);
  document.title = "Key – MediaCache";
  // After the alert is there, so that it's read out.
  if (wasWrong) error.textContent = "The server doesn’t take this key. It may have made a new one since, or a part is missing.";
  input.focus();
}
