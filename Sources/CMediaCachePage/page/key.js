// The API key, which is read from the address, checked with the server and stored in the browser, and the form for it.

import { serverURL } from "./address.js";
import { make } from "./elements.js";

const storageKey = "mediacache.key";
/** The key in use until the page is closed, in case storage is unavailable or the key couldn't be checked yet. */
let memory = null;

/** Returns the API key, or null if there is none. */
export function key() {
  if (memory) return memory;
  try { return localStorage.getItem(storageKey); } catch { return null; }
}

function storeKey(key) {
  memory = key;
  try { localStorage.setItem(storageKey, key); } catch { /* private windows have no storage */ }
}

/** Stores a key that couldn't be checked when it was read from the address, once the server has accepted it. */
export function storeUncheckedKey() {
  if (memory) storeKey(memory);
}

/** Returns the key after `#key=` in the address, or null. Removes it from the address bar and the history. */
function takeKeyFromAddress() {
  const found = /^#key=([^&]*)/.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try { return decodeURIComponent(found[1]); } catch { return null; }
}

/**
 * Stores the key from the page's address if the server accepts it. Any site can link here with a different key, so an
 * unchecked key never replaces the stored one.
 *
 * @returns {Promise<"none"|"accepted"|"rejected">} `none` also if the key is already in use or can't be checked
 */
export async function acceptKeyFromAddress() {
  const found = takeKeyFromAddress();
  if (!found || found === key()) return "none";
  let response;
  try {
    response = await fetch(serverURL("api/v1/server"), {
      cache: "no-store", headers: { Authorization: `Bearer ${found}` },
    });
  } catch {
    // The server is unreachable, or the key isn't a valid header value. A stored key remains.
    if (!key()) memory = found;
    return "none";
  }
  if (!response.ok) return "rejected";
  storeKey(found);
  return "accepted";
}

/** Replaces the view with the form for the key. @param {boolean} wasRejected whether the server rejected a key */
export function askForKey(wasRejected) {
  const main = document.getElementById("main");
  if (main.querySelector("#key")) return;
  for (const id of ["views", "add"]) document.getElementById(id).hidden = true;
  document.querySelector("dialog")?.close();
  const input = make("input", {
    id: "key", type: "password", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": "key-help key-error",
  });
  const error = make("p.error", { id: "key-error", role: "alert" });
  const form = make("form.key-form", { novalidate: true },
    make("h1", {}, "Enter the API key"),
    make("p", { id: "key-help" },
      "In a terminal, ", make("code", {}, "mediacache serve"), " prints an address that contains the key; open the complete address. ",
      "Or enter the key that ", make("code", {}, "mediacache key show"), " prints."),
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
    storeKey(text);
    location.reload();
  });
  main.className = "view-key";
  main.replaceChildren(form);
  document.title = "Key – MediaCache";
  // Screen readers announce only changes to an alert that is already in the document.
  if (wasRejected) error.textContent = "The server rejected this key. It may be incomplete or have been replaced.";
  input.focus();
}
