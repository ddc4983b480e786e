// A client for the server's API. It throws the server's problem documents (RFC 9457) as `Problem`.

import { serverURL } from "./address.js";
import { key } from "./key.js";

export class Problem extends Error {
  /**
   * @param {{status: number, title: string, detail?: string, code?: string, originStatus?: number,
   *   retryable?: boolean, recordedRanges?: Object[]}} document
   */
  constructor(document) {
    super(sentence(document.detail ?? document.title));
    this.status = document.status;
    this.code = document.code;
    this.originStatus = document.originStatus;
    this.retryable = document.retryable;
    this.recordedRanges = document.recordedRanges;
  }

  /** The message, with advice if there is any. */
  get advice() {
    const remedy = remedies[this.code];
    if (remedy) return `${this.message} ${remedy}`;
    return this.originStatus ? originAdvice(this.originStatus) : this.message;
  }
}

const remedies = {
  unreachable: "Check the URL, and whether the machine that runs MediaCache is online.",
  timedOut: "Try again later.",
  forbiddenAddress: "To allow addresses of this network, start “mediacache serve” with --allow-net.",
};

function originAdvice(status) {
  switch (status) {
    case 401: return "Login required (401). Put the user name and password in the URL: https://user:password@host/…";
    case 403: return "Access denied (403). The link may need a login or have expired; copy a fresh one.";
    case 404: return "Not found (404). Check the URL.";
    case 410: return "No longer available (410). Find another URL.";
    case 429: return "Too many requests (429). Wait a few minutes, then try again.";
    default: return status >= 500
      ? `The origin reported an error (${status}). Try again later.`
      : `The origin refused the request (${status}). Check the URL.`;
  }
}

class Unreachable extends Error {
  constructor() {
    super("The server isn’t responding. Check whether “mediacache serve” is running.");
  }
}

/** Capitalizes a message, and adds a period if the message has no mark at its end. */
export function sentence(text) {
  // The first letter of a URL or a file name isn't changed.
  const capitalized = /^[a-z]+[\s,;:’']/.test(text) && !/^\w+:\/\//.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}

let keyRejected = () => {};
export const onKeyRejected = (listener) => { keyRejected = listener; };

/** Returns the response if it is successful. @throws {Problem} otherwise */
export async function requireOK(response) {
  if (response.ok) return response;
  if (response.status === 401) keyRejected();
  const isProblem = response.headers.get("Content-Type")?.includes("json");
  const document = isProblem ? await response.json().catch(() => null) : null;
  throw new Problem(document ?? { status: response.status, title: `The server responded with status ${response.status}` });
}

const root = "api/v1/";

/**
 * Sends a request with the key and returns the JSON of its response, or null if the status is 204.
 *
 * @throws {Problem|Unreachable|DOMException} the last one if the request is aborted
 */
async function json(path, { method = "GET", body, signal } = {}) {
  const isJSON = body !== undefined && !(body instanceof Blob);
  let response;
  try {
    response = await fetch(serverURL(root + path), {
      method,
      cache: "no-store",
      headers: { Authorization: `Bearer ${key()}`, ...(isJSON ? { "Content-Type": "application/json" } : {}) },
      body: isJSON ? JSON.stringify(body) : body,
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  await requireOK(response);
  return response.status === 204 ? null : response.json();
}

/** Returns a complete list, read page by page. */
async function list(path, field) {
  const found = [];
  let after = null;
  do {
    const page = await json(after === null ? path : `${path}?after=${encodeURIComponent(after)}`);
    found.push(...page[field]);
    after = page.next ?? null;
  } while (after !== null);
  return found;
}

const part = encodeURIComponent;
const send = (method, path, body) => json(path, { method, body });

export const api = {
  assets: () => list("assets", "assets"),
  asset: (id) => json(`assets/${part(id)}`),
  addAsset: (url) => send("POST", "assets", { url }),
  changeAsset: (id, update) => send("PATCH", `assets/${part(id)}`, update),
  removeAsset: (id) => send("DELETE", `assets/${part(id)}`),
  setCover: (id, picture) => send("PUT", `assets/${part(id)}/cover`, picture),
  contents: (id) => json(`bundles?asset=${part(id)}`),

  probe: (url, signal) => json("probe", { method: "POST", body: { url }, signal }),
  playURL: async (url) => (await json(`urls?url=${part(url)}`)).playURL,

  downloads: () => list("downloads", "downloads"),
  download: (id) => json(`downloads/${part(id)}`),
  addDownload: (request) => send("POST", "downloads", request),
  changeDownload: (id, update) => send("PATCH", `downloads/${part(id)}`, update),
  cancelDownload: (id, keepsData) => send("DELETE", `downloads/${part(id)}${keepsData ? "?keepData=1" : ""}`),
  allDownloads: (action) => send("POST", `downloads/${action}`),
  orderDownloads: (ids) => send("PUT", "downloads/order", { ids }),
  downloadSettings: () => json("settings/downloads"),
  cacheSettings: () => json("settings/cache"),
  setCacheSettings: (update) => send("PATCH", "settings/cache", update),
  setDownloadSettings: (update) => send("PATCH", "settings/downloads", update),

  resources: () => list("resources", "resources"),
  resourceOf: (url) => json(`resources?url=${part(url)}`),
  played: () => list("played", "played"),
  removePlayed: (id) => send("DELETE", `played/${id}`),

  channels: () => list("channels", "channels"),
  channel: (name) => json(`channels/${part(name)}`),
  addChannel: (request) => send("POST", "channels", request),
  changeChannel: (name, update) => send("PATCH", `channels/${part(name)}`, update),
  removeChannel: (name) => send("DELETE", `channels/${part(name)}`),
  gaps: (name) => list(`channels/${part(name)}/gaps`, "segments"),
  addProgramme: (name, request) => send("POST", `channels/${part(name)}/programmes`, request),
  removeProgramme: (name, id) => send("DELETE", `channels/${part(name)}/programmes/${part(id)}`),
  startExport: (name, id, format) => send("POST", `channels/${part(name)}/programmes/${part(id)}/exports/${format}`),
  endExport: (name, id, format) => send("DELETE", `channels/${part(name)}/programmes/${part(id)}/exports/${format}`),

  standingToken: () => json("tokens/standing"),

  storage: () => json("storage"),
  prune: () => send("POST", "prune"),
  verify: (repair) => send("POST", "verify", { repair }),
};
