// The page's icons, on a grid of 24 by 24 units.

const paths = {
  library: "M4 5h4v14H4zM10 5h4v14h-4zM16.5 5.6l3.4-.8 2.3 13.4-3.4.8z",
  downloads: "M12 4v10m-5-4 5 5 5-5M5 20h14",
  channels: "M12 12v8M8.5 8.5a5 5 0 0 1 7 0M5.5 5.5a9.2 9.2 0 0 1 13 0M12 11.5v.5",
  played: "M12 7v5l3.5 2M4.5 9A8 8 0 1 1 4 12M4 5v4h4",
  storage: "M5 6c0-1.4 3.1-2.5 7-2.5S19 4.6 19 6s-3.1 2.5-7 2.5S5 7.4 5 6zm0 0v12c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5V6M5 12c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5",
  settings: "M4 7h9m4 0h3M4 17h3m4 0h9M13 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0zM7 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0z",
  play: "M8 5.5v13l10.5-6.5z",
  pencil: "M5 19l.8-3.8L16 5l3 3L8.8 18.2zM14 7l3 3",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 11v5M13.5 11v5",
  save: "M12 4v9m-4-3.5 4 4 4-4M5 16v4h14v-4",
  grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  pause: "M8 5.5v13M16 5.5v13",
  sound: "M4 10v4h3.5L12 18V6L7.5 10zM15.5 9a4 4 0 0 1 0 6M18 6.5a7.6 7.6 0 0 1 0 11",
  silent: "M4 10v4h3.5L12 18V6L7.5 10zM16 9.5l5 5m0-5-5 5",
  subtitles: "M4 5.5h16v13H4zM7.5 12h4m2.5 0h2.5M7.5 15.2h2m2.5 0h4.5",
  pip: "M4 5.5h16v13H4zM12.5 12h5v4h-5z",
  full: "M4 9V4.5h5M15 4.5h5V9M20 15v4.5h-5M9 19.5H4V15",
  help: "M9 9.2a3 3 0 1 1 4.4 2.6c-.9.5-1.4 1-1.4 2.2M12 17.5v.01",
  back: "M14 6l-6 6 6 6",
  close: "M6 6l12 12M18 6L6 18",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9h.01",
};

const namespace = "http://www.w3.org/2000/svg";

/** Creates an icon. Screen readers skip icons, so the parent needs an accessible name. */
export function icon(name) {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}
