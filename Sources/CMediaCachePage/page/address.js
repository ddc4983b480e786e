// The URLs of the server and of the page's views. A reverse proxy may serve the page at any path of any host.

const base = new URL(".", document.baseURI);
const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(base.hostname);

let playbackToken = null;

/**
 * Whether the page adds a token to library and channel URLs. A server exempts clients on its own machine. An exposed
 * server exempts no client, but the URLs in its records already contain a token.
 */
export const needsToken = !isThisMachine;

export function setPlaybackToken(token) { playbackToken = token; }

/** Returns the URL of a path of the server, such as `api/v1/usage`. */
export const serverURL = (path) => new URL(path, base).href;

/**
 * Returns a record's URL with the host that this page uses, which may differ from the one in the record. Library and
 * channel URLs without a token get one if `needsToken`.
 */
export function localURL(url) {
  const { pathname: whole, search } = new URL(url, base);
  const pathname = whole.startsWith(base.pathname) ? whole.slice(base.pathname.length - 1) : whole;
  const isBare = needsToken && /^\/(library|live)\//.test(pathname);
  return serverURL(`.${isBare ? `/k/${playbackToken}` : ""}${pathname}${search}`);
}

/** Returns the origin URL that a play URL refers to, or null for any other URL. */
export function originURL(playURL) {
  const found = /\/play\/[^/]+\/(https?)\/([^/?]+)(.*)$/.exec(playURL);
  return found && `${found[1]}://${found[2]}${found[3]}`;
}

export const routes = {
  asset: (id) => `#/play/asset/${encodeURIComponent(id)}`,
  url: (url) => `#/play/url/${encodeURIComponent(url)}`,
  channel: (name) => `#/channels/${encodeURIComponent(name)}`,
  downloads: "#/downloads",
  library: "#/library",
};
