// What happens at the server, as server-sent events (WHATWG HTML §9.2). They are read by `fetch`, since `EventSource`
// can't send the key.

import { checked, Problem } from "./api.js";
import { below } from "./address.js";
import { key } from "./key.js";

const firstPause = 500;
const longestPause = 10_000;
/** The server says something every 15 s, if only that it's there. */
const longestSilence = 40_000;

/**
 * Follows the events for as long as the page is open, again and again where the connection is lost.
 *
 * @param {{event: (record: Object) => void, connected: () => Promise<void>, lost: () => void}} listener `connected` is
 *   called each time before the first event: what happened meanwhile has to be read.
 */
export async function follow(listener) {
  let pause = firstPause;
  for (;;) {
    try {
      await readOnce(listener, () => { pause = firstPause; });
    } catch (error) {
      if (error instanceof Problem && error.status === 401) return;
    }
    listener.lost();
    await wakeOrWait(pause);
    pause = Math.min(pause * 1.6, longestPause);
  }
}

async function readOnce(listener, succeeded) {
  const abort = new AbortController();
  let watch = null;
  const heard = () => {
    clearTimeout(watch);
    watch = setTimeout(() => abort.abort(), longestSilence);
  };
  heard();
  try {
    const response = await checked(await fetch(below("api/v1/events"), {
      headers: { Authorization: `Bearer ${key()}`, Accept: "text/event-stream" },
      cache: "no-store",
      signal: abort.signal,
    }));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let [rest, isFirst] = ["", true];
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard();
      if (isFirst) {
        // The stream is open: nothing that happens from now on is missed.
        isFirst = false;
        await listener.connected();
        succeeded();
      }
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) tell(block, listener);
    }
  } finally {
    clearTimeout(watch);
    abort.abort();
  }
}

function tell(block, listener) {
  const data = block.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
  if (!data) return;
  let record;
  try { record = JSON.parse(data); } catch { return; }
  listener.event(record);
}

/** Waits, but no longer than until the network is back or somebody looks at the page again. */
function wakeOrWait(pause) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      document.removeEventListener("visibilitychange", done);
      resolve();
    };
    const timer = setTimeout(done, pause * (0.8 + 0.4 * Math.random()));
    addEventListener("online", done);
    document.addEventListener("visibilitychange", done);
  });
}
