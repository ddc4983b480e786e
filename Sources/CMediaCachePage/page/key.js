// The cache's key: taken from the address once, then kept out of the address bar and the history.

const place = "mediacache.key";
let memory = null; // where storage is refused, the key lasts as long as the page

/** Takes the key that stands behind `#key=`, if one does; whatever stands after it is the view. */
export function takeKey() {
  const found = /^#key=([^&]*)/.exec(location.hash);
  if (!found) return false;
  keep(decodeURIComponent(found[1]));
  history.replaceState(null, "", location.pathname + location.search);
  return true;
}

/** Keeps a key for this browser. */
export function keep(key) {
  memory = key;
  try { localStorage.setItem(place, key); } catch { /* private windows */ }
}

/** The key, or null. */
export function key() {
  if (memory) return memory;
  try { return localStorage.getItem(place); } catch { return null; }
}
