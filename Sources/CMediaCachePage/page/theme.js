// The color theme: light, dark, or that of the system.

const storageKey = "mediacache.colors";

export function startTheme() {
  const choice = document.getElementById("colors");
  try { choice.value = localStorage.getItem(storageKey) ?? "auto"; } catch { /* the system's theme */ }
  if (!choice.value) choice.value = "auto";
  apply(choice.value);
  choice.addEventListener("change", () => {
    try { localStorage.setItem(storageKey, choice.value); } catch { /* lasts until the page is closed */ }
    apply(choice.value);
  });
}

function apply(value) {
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  dispatchEvent(new Event("colors"));
}

/** Calls `listener` when the colors change, so that canvases can be redrawn. */
export function onColors(listener, signal) {
  addEventListener("colors", listener, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener, { signal });
}

/** Returns a color of the theme, by the name of its custom property. */
export const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
