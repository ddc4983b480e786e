// What was interrupted goes on by itself: a browser that misses a part of a stream gives all of it up, and plays it again
// when it's given anew.

import { channels } from "./store.js";

/** Seconds until it's tried again; the last is said again and again. */
const pauses = [1, 2, 4, 8, 15, 15, 15, 30];
/** After so long, in milliseconds, nobody waits any more. */
const longestWait = 600_000;
/** What comes and fails soon as often as this doesn't play there. */
const mostFailures = 4;
/** What plays for so many seconds has got over it. */
const longEnough = 3;

/**
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {() => string} options.place where it goes on, as a sentence ends: "at 0:12"
 * @param {() => (void|Promise<void>)} options.resume gives the player the same again, there
 * @param {() => boolean} [options.isThere] whether there is something to go on with, where that is known
 * @param {AbortSignal} options.signal ends it
 */
export function startResuming({ player, place, resume, isThere = () => true, signal }) {
  const { video } = player;
  let hasPlayed = false;
  let since = null;
  let failures = 0;
  let attempts = 0;
  let timer = null;
  /** Where it went on, once something of that is here. */
  let wentOnAt = null;
  let wasThere = true;

  const forget = () => {
    clearTimeout(timer);
    [timer, since, failures, attempts] = [null, null, 0, 0];
  };
  const attempt = async () => {
    clearTimeout(timer);
    timer = null;
    if (signal.aborted) return;
    if (!isThere()) return wait();
    attempts += 1;
    wentOnAt = null;
    await resume();
  };
  const wait = () => {
    wasThere = isThere();
    clearTimeout(timer);
    timer = setTimeout(attempt, pauses[Math.min(attempts, pauses.length - 1)] * 1000);
  };

  /** Takes care of an error: false where there's nothing to hope for. */
  function interrupted() {
    if (!hasPlayed || signal.aborted) return false;
    since ??= performance.now();
    if (wentOnAt !== null) failures += 1;
    wentOnAt = null;
    if (failures >= mostFailures || performance.now() - since > longestWait) {
      forget();
      hasPlayed = false;
      return false;
    }
    player.fail(`The stream was interrupted. It goes on ${place()} as soon as it comes again.`, attempt);
    wait();
    return true;
  }

  video.addEventListener("loadeddata", () => {
    wentOnAt = video.currentTime;
    if (since !== null) since = performance.now();
  });
  video.addEventListener("timeupdate", () => {
    if (video.error || video.paused || !(video.currentTime > 0)) return;
    hasPlayed = true;
    if (since === null || timer !== null || wentOnAt === null) return;
    player.clear();
    if (video.currentTime > wentOnAt + longEnough) forget();
  });
  const hurry = () => { if (timer !== null && isThere()) attempt(); };
  addEventListener("online", hurry, { signal });
  channels.watch((name) => {
    // All is read anew when the server is back.
    if (name === null || !wasThere) hurry();
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(timer));
  player.onError = interrupted;
  return {
    interrupted,
    /** Something else is to be played. */
    begin() {
      forget();
      hasPlayed = false;
    },
  };
}
