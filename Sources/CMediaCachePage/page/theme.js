// The colour theme: light, dark, or the system's.

const storageKey = "mediacache.colours";

/** Connects the theme's selector. */
export function startTheme() {
  const choice = document.getElementById("colours");
  try { choice.value = localStorage.getItem(storageKey) ?? "auto"; } catch { /* the system's theme */ }
  if (!choice.value) choice.value = "auto";
  apply(choice.value);
  choice.addEventListener("change", () => {
    try { localStorage.setItem(storageKey, choice.value); } catch { /* until the page is closed */ }
    apply(choice.value);
  });
}

function apply(value) {
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  dispatchEvent(new Event("colours"));
}

/** Calls a function when the colours change, for canvases to be redrawn. */
export function onColours(listener, signal) {
  addEventListener("colours", listener, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener, { signal });
}

/** Returns a colour of the theme by the name of its custom property. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
