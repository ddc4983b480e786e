// The cache's key: taken from the address once, then kept out of the address bar and the history.

const place = "mediacache.key";
let memory = null; // where storage is refused, the key lasts as long as the page

/** Returns the key behind `#key=` in the address, or null, and takes it out of the address. */
export function keyInAddress() {
  const found = /^#key=([^&]*)/.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try { return decodeURIComponent(found[1]); } catch { return null; }
}

/** Keeps a key for as long as the page is open. */
export function keepForNow(key) { memory = key; }

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
