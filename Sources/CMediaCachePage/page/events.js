// A reader of the server-sent events of the server (WHATWG HTML §9.2). It uses `fetch`, because `EventSource` can't
// send the key.

import { serverURL } from "./address.js";
import { Problem, requireOK } from "./api.js";
import { key } from "./key.js";

const firstPause = 500;
const maximumPause = 10_000;
/** The silence after which the connection counts as lost, in milliseconds. The server sends a comment every 15 s. */
const maximumSilence = 40_000;

/**
 * Follows the events and reconnects when the connection is lost, until the server rejects the key.
 *
 * @param {{event: (record: Object) => void, connected: () => Promise<void>, lost: () => void}} listener `connected` is
 *   called before the first event of each connection, to read the records that may have changed in the meantime
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
    pause = Math.min(pause * 1.6, maximumPause);
  }
}

async function readOnce(listener, succeeded) {
  const abort = new AbortController();
  let timer = null;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), maximumSilence);
  };
  restartTimer();
  try {
    const response = await requireOK(await fetch(serverURL("api/v1/events"), {
      headers: { Authorization: `Bearer ${key()}`, Accept: "text/event-stream" },
      cache: "no-store",
      signal: abort.signal,
    }));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let [rest, isFirst] = ["", true];
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      if (isFirst) {
        // All further events arrive through the open stream. Reading the records may take longer than `maximumSilence`.
        isFirst = false;
        clearTimeout(timer);
        await listener.connected();
        succeeded();
      }
      restartTimer();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) deliver(block, listener);
    }
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

function deliver(block, listener) {
  const data = block.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
  if (!data) return;
  let record;
  try { record = JSON.parse(data); } catch { return; }
  listener.event(record);
}

/** Waits until the pause, in milliseconds, is over, the network returns, or the page is hidden or shown. */
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
