// Resumes playback after an error of the browser, which gives up on a source if it can't load or decode a part of it,
// and continues only if the source is set again.

import { channels } from "./store.js";

/** The delays before the attempts, in seconds. The last delay repeats. */
const pauses = [1, 2, 4, 8, 15, 15, 15, 30];
/** The time without a successful load after which an error ends the attempts, in milliseconds. */
const maximumWait = 600_000;
/** The number of errors after successful loads, without lasting playback between them, that ends the attempts. */
const maximumFailures = 4;
/** The duration of playback that ends an interruption, in seconds. */
const longEnough = 3;

/**
 * Resumes a player after interruptions.
 *
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {() => string} options.position returns the position at which playback resumes, for example "at 0:12"
 * @param {() => (void|Promise<void>)} options.resume sets the player's source again, at that position
 * @param {AbortSignal} options.signal stops it when aborted
 */
export function startResuming({ player, position, resume, signal }) {
  const { video } = player;
  let hasPlayed = false;
  let since = null;
  let failures = 0;
  let attempts = 0;
  let timer = null;
  /** The position at which the last attempt loaded; null before it has loaded. */
  let resumedAt = null;

  const reset = () => {
    clearTimeout(timer);
    [timer, since, failures, attempts] = [null, null, 0, 0];
  };
  const attempt = async () => {
    clearTimeout(timer);
    timer = null;
    if (signal.aborted) return;
    attempts += 1;
    resumedAt = null;
    await resume();
  };
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(attempt, pauses[Math.min(attempts, pauses.length - 1)] * 1000);
  };

  /** Handles an error. Returns whether playback will be resumed. */
  function interrupted() {
    if (!hasPlayed || signal.aborted) return false;
    since ??= performance.now();
    if (resumedAt !== null) failures += 1;
    resumedAt = null;
    if (failures >= maximumFailures || performance.now() - since > maximumWait) {
      reset();
      hasPlayed = false;
      return false;
    }
    player.fail(`Trying to resume playback ${position()}.`, attempt);
    wait();
    return true;
  }

  video.addEventListener("loadeddata", () => {
    resumedAt = video.currentTime;
    if (since !== null) since = performance.now();
  });
  video.addEventListener("timeupdate", () => {
    if (video.error || video.paused || !(video.currentTime > 0)) return;
    hasPlayed = true;
    if (since === null || timer !== null || resumedAt === null) return;
    player.clear();
    if (video.currentTime > resumedAt + longEnough) reset();
  });
  const attemptNow = () => { if (timer !== null) attempt(); };
  addEventListener("online", attemptNow, { signal });
  channels.watch((name) => {
    // All records are read again when the server is reachable again.
    if (name === null) attemptNow();
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(timer));
  player.onError = interrupted;
  return {
    interrupted,
    /** Ends the interruption, because another source is about to play. */
    begin() {
      reset();
      hasPlayed = false;
    },
  };
}
