// Where things are. The page may be shown below any path of any host, as behind a reverse proxy.

const base = new URL(".", document.baseURI);
const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(base.hostname);

let playbackToken = null;

/** Whether URLs of the library and of channels need a token here: the server gives them without one to its own machine. */
export const needsToken = !isThisMachine;

/** Sets the token that such URLs hold. */
export function setPlaybackToken(token) { playbackToken = token; }

/** A path of the server, as `api/v1/usage`, below where the page is. */
export const below = (path) => new URL(path, base).href;

/**
 * A URL out of a record, as this page reaches it: the server writes its own host, which here may have another name.
 * URLs of the library and of channels that hold no token get one where they need it.
 */
export function local(url) {
  const { pathname: whole, search } = new URL(url, base);
  const pathname = whole.startsWith(base.pathname) ? whole.slice(base.pathname.length - 1) : whole;
  const isBare = needsToken && /^\/(library|live)\//.test(pathname);
  return below(`.${isBare ? `/k/${playbackToken}` : ""}${pathname}${search}`);
}

/** The origin's URL that a play URL stands for; null for another URL. */
export function originOf(playURL) {
  const found = /\/play\/[^/]+\/(https?)\/([^/?]+)(.*)$/.exec(playURL);
  return found && `${found[1]}://${found[2]}${found[3]}`;
}

/** The page's own addresses, behind `#`. */
export const routes = {
  asset: (id) => `#/play/asset/${encodeURIComponent(id)}`,
  url: (url) => `#/play/url/${encodeURIComponent(url)}`,
  channel: (name) => `#/channels/${encodeURIComponent(name)}`,
  downloads: "#/downloads",
  library: "#/library",
};
