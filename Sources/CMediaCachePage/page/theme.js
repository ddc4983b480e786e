// Light or dark: as the system has it, unless somebody chose.

const place = "mediacache.colours";

/** Makes the switch work. */
export function startTheme() {
  const choice = document.getElementById("colours");
  try { choice.value = localStorage.getItem(place) ?? "auto"; } catch { /* as the system */ }
  if (!choice.value) choice.value = "auto";
  apply(choice.value);
  choice.addEventListener("change", () => {
    try { localStorage.setItem(place, choice.value); } catch { /* for as long as the page */ }
    apply(choice.value);
  });
}

function apply(value) {
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  dispatchEvent(new Event("colours"));
}

/** Calls a function when colours have changed: what draws itself has to again. */
export function onColours(listener, signal) {
  addEventListener("colours", listener, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener, { signal });
}

/** A colour of the theme, by its custom property. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
