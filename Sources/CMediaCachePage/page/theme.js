// The color theme: light, dark, or that of the system.

const storageKey = "mediacache.colours";

export function startTheme() {
  const choice = document.getElementById("colours");
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
  dispatchEvent(new Event("colours"));
}

/** Calls `listener` when the colors change, so that canvases can be redrawn. */
export function onColours(listener, signal) {
  addEventListener("colours", listener, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener, { signal });
}

/** Returns a color of the theme, by the name of its custom property. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
