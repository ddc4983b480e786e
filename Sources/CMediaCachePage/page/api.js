// The server's API. Its errors are problem documents (RFC 9457), thrown as `Problem`.

import { below } from "./address.js";
import { key } from "./key.js";

/** What the server says is wrong. */
export class Problem extends Error {
  /** @param {{status: number, title: string, detail?: string, code?: string}} document */
  constructor(document) {
    super(sentence(document.detail ?? document.title));
    this.status = document.status;
    this.code = document.code;
    this.originStatus = document.originStatus;
    this.kept = document.kept;
  }

  /** What happened, and what a person can do about it. */
  get advice() {
    const found = this.code === "originStatus"
      ? advice[this.originStatus] ?? (this.originStatus >= 500 ? advice[500] : advice[400])
      : advice[this.code];
    return found ? `${this.message} ${found}` : this.message;
  }
}

/** What can be done, by the problem's code, or by what the origin answered. */
const advice = {
  401: "It wants a login: put user and password into the URL (https://user:password@host/…), if you have them.",
  403: "It may want a login, or the link may have expired: open its page again, and copy a fresh one.",
  404: "Look whether the URL is whole, and whether it still plays elsewhere.",
  410: "It is gone there. Look for another URL of it.",
  429: "It was asked too often: wait some minutes, then try again.",
  400: "Look whether the URL is whole, and whether it still plays elsewhere.",
  500: "The origin has trouble of its own: try again later.",
  unreachable: "Look whether the address is right, and whether this machine is online.",
  timedOut: "Try again; if it stays so, the origin is too slow or out of reach.",
  notMedia: "Look for the URL of the film or the playlist itself, not of the page around it.",
  forbiddenAddress: "Addresses of this network are asked only if the server’s options allow it.",
};

/** The server doesn't answer at all. */
export class Unreachable extends Error {
  constructor() {
    super("The server doesn’t answer. Is “mediacache serve” running?");
  }
}

/** A sentence of the server's as it stands on a page: with a capital and a full stop. */
export function sentence(text) {
  // What begins with a URL or a name stays as it is.
  const begun = /^[a-z]+[\s,;:’']/.test(text) && !/^\w+:\/\//.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** Called when the server doesn't take the key. */
let refused = () => {};
export const onRefused = (work) => { refused = work; };

/** Throws unless an answer is one that was hoped for. */
export async function checked(response) {
  if (response.ok) return response;
  if (response.status === 401) refused();
  const isProblem = response.headers.get("Content-Type")?.includes("json");
  const document = isProblem ? await response.json().catch(() => null) : null;
  throw new Problem(document ?? { status: response.status, title: `The server answered ${response.status}` });
}

/** Asks the server, with the key. */
export async function ask(path, { method = "GET", body, headers = {}, ...rest } = {}) {
  const isJSON = body !== undefined && !(body instanceof Blob);
  let response;
  try {
    response = await fetch(below(path), {
      method,
      cache: "no-store",
      headers: {
        Authorization: `Bearer ${key()}`,
        ...(isJSON ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      body: isJSON ? JSON.stringify(body) : body,
      ...rest,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  return checked(response);
}

/** Asks for JSON; null where there is none. */
export async function json(path, options) {
  const response = await ask(path, options);
  return response.status === 204 ? null : response.json();
}

/** A whole list, page after page. */
export async function list(path, field) {
  const found = [];
  let after = null;
  do {
    const separator = path.includes("?") ? "&" : "?";
    const page = await json(after === null ? path : `${path}${separator}after=${encodeURIComponent(after)}`);
    found.push(...page[field]);
    after = page.next ?? null;
  } while (after !== null);
  return found;
}

const root = "api/v1/";
const part = encodeURIComponent;
const send = (method, path, body) => json(root + path, { method, body });

/** The API's operations, as the page uses them. */
export const api = {
  assets: () => list(`${root}assets`, "assets"),
  asset: (id) => json(`${root}assets/${part(id)}`),
  addAsset: (url) => send("POST", "assets", { url }),
  rename: (id, title) => send("PATCH", `assets/${part(id)}`, { title }),
  removeAsset: (id) => send("DELETE", `assets/${part(id)}`),
  setCover: (id, picture) => send("PUT", `assets/${part(id)}/cover`, picture),
  contents: (id) => json(`${root}bundles?asset=${part(id)}`),

  probe: (url, signal) => json(`${root}probe`, { method: "POST", body: { url }, signal }),
  playURL: async (url) => (await json(`${root}urls?url=${part(url)}`)).playURL,

  downloads: () => list(`${root}downloads`, "downloads"),
  download: (id) => json(`${root}downloads/${part(id)}`),
  addDownload: (wanted) => send("POST", "downloads", wanted),
  changeDownload: (id, update) => send("PATCH", `downloads/${part(id)}`, update),
  cancelDownload: (id, keep) => send("DELETE", `downloads/${part(id)}${keep ? "?keep=1" : ""}`),
  allDownloads: (what) => send("POST", `downloads/${what}`),
  orderDownloads: (ids) => send("PUT", "downloads/order", { ids }),
  downloadSettings: () => json(`${root}settings/downloads`),
  setDownloadSettings: (update) => send("PATCH", "settings/downloads", update),

  resources: () => list(`${root}resources`, "resources"),
  resourceOf: (url) => json(`${root}resources?url=${part(url)}`),
  played: () => list(`${root}played`, "played"),
  removePlayed: (id) => send("DELETE", `played/${id}`),

  channels: () => list(`${root}channels`, "channels"),
  channel: (name) => json(`${root}channels/${part(name)}`),
  addChannel: (wanted) => send("POST", "channels", wanted),
  changeChannel: (name, update) => send("PATCH", `channels/${part(name)}`, update),
  removeChannel: (name) => send("DELETE", `channels/${part(name)}`),
  gaps: (name) => list(`${root}channels/${part(name)}/gaps`, "segments"),
  addProgramme: (name, wanted) => send("POST", `channels/${part(name)}/programmes`, wanted),
  removeProgramme: (name, id) => send("DELETE", `channels/${part(name)}/programmes/${part(id)}`),
  startExport: (name, id, format) => send("POST", `channels/${part(name)}/programmes/${part(id)}/exports/${format}`),
  endExport: (name, id, format) => send("DELETE", `channels/${part(name)}/programmes/${part(id)}/exports/${format}`),

  standingToken: () => json(`${root}tokens/standing`),

  storage: () => json(`${root}storage`),
  prune: () => send("POST", "prune"),
  verify: (repair) => send("POST", "verify", { repair }),
};
