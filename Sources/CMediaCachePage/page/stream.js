// Plays streams in a player through Media Source Extensions, and reports gaps, interruptions and obstacles.

import { Problem, sentence } from "./api.js";
import { make, updateText } from "./elements.js";
import { clock, words } from "./format.js";
import { attachStream, keyOfTrack } from "./mediasource.js";
import { notify } from "./notices.js";
import { channels } from "./store.js";
import { rangeOf } from "./video.js";

const kinds = { video: "No picture", audio: "No sound" };

/** Describes the length of a missing range, for example "1 minute missing". */
export const missingText = (seconds) => `${words(Math.max(1, seconds))} missing`;

/** Returns the message for media that can't be played. */
export function failureText(error) {
  return `Playback failed. ${sentence(error instanceof Problem ? error.advice : error.message)}`;
}

/**
 * Creates the playback of streams in a player.
 *
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {() => string} options.position returns the position for messages, for example "at 0:12"
 * @param {(stream: Object, place: number) => string} [options.name] returns the name of a position in messages
 * @param {AbortSignal} options.signal stops it when aborted
 */
export function makeStreamPlayback({ player, position, name = (_, place) => clock(place), signal }) {
  const { video } = player;
  const note = make("p.hint.obstacles", { role: "status", hidden: true });
  const damaged = new Set();
  let ending = new AbortController();
  /** The attached stream; null while there is none. */
  let stream = null;
  let hasPlayed = false;
  let isInterrupted = false;
  /** The URL and the options of the last stream, and the URL of the variant stream that was selected instead. */
  let last = { url: null, options: {}, variant: null };
  /** The key of the selected audio track. */
  let audio = null;
  const listeners = [];

  const stop = () => {
    ending.abort();
    stream = null;
    isInterrupted = false;
    note.hidden = true;
  };

  /**
   * Plays a stream.
   *
   * @param {string} url the URL of its `media.json`
   * @param {Object} [options] `from`, `wall` and `isOver` as for `attachStream`; `isResuming`: whether playback
   *   continues after an interruption or with another variant stream, so that a paused video remains paused
   * @throws {Error} if the stream can't be read or played
   */
  async function play(url, { isResuming = false, ...options } = {}) {
    stop();
    last = { url, options, variant: last.url === url ? last.variant : null };
    ending = new AbortController();
    const own = AbortSignal.any([signal, ending.signal]);
    hasPlayed &&= isResuming;
    if (!isResuming) damaged.clear();
    const attached = await attachStream({
      ...options, player, url: last.variant ?? url, audio, damaged, signal: own,
      open: (src, from) => (isResuming ? player.replay(src, from) : player.play(src, from)),
      onGap: (from, to) => notify(`${missingText(to - from)} (${name(attached, from)}–${name(attached, to)}).`),
      onTrouble: showTrouble,
      onError(error) {
        const from = video.currentTime;
        stop();
        player.fail(failureText(error), () => play(url, { ...options, wall: null, from, isResuming: true }).catch(showError));
      },
    });
    stream = attached;
    for (const listener of listeners) listener(attached);
    note.hidden = attached.obstacles.length === 0;
    updateText(note, attached.obstacles.map(({ kind, reason }) => `${kinds[kind]}: ${reason}.`).join(" "));
    return attached;
  }

  const showError = (error) => { if (error.name !== "AbortError") player.fail(failureText(error), null); };

  function showTrouble(trouble) {
    if (!trouble) {
      if (isInterrupted) player.clear();
      isInterrupted = false;
      return;
    }
    isInterrupted = true;
    const text = hasPlayed && !trouble.isOver ? `Trying to resume playback ${position()}.` : failureText(trouble.error);
    player.fail(text, () => stream?.retry());
  }

  video.addEventListener("timeupdate", () => { hasPlayed ||= stream !== null && !video.paused && video.readyState > 2; });
  const retry = () => { if (isInterrupted) stream?.retry(); };
  addEventListener("online", retry, { signal });
  // All records are read again when the server is reachable again.
  channels.watch((changed) => { if (changed === null) retry(); }, signal);
  return {
    /** An element with the reasons why a part of the stream can't be played. */
    note, play, stop,
    /** Calls `listener` with each stream that is attached. */
    onAttach: (listener) => listeners.push(listener),
    /** Continues at the live edge, also of a stream that the browser plays itself. */
    async toLive() {
      const attached = stream;
      if (!attached) return player.seek(rangeOf(video)?.to);
      const place = await attached.startOf(null, null);
      if (attached === stream) attached.seek(place);
    },
    /** Selects a variant stream by its index. */
    async selectVariant(index) {
      if (!stream) return;
      const { presentation, rows, position: at } = stream;
      const place = rows.isRecording ? { wall: stream.wallOf(at) } : { from: rows.isLive ? null : at };
      last.variant = presentation.variants[index].address;
      await play(last.url, { ...last.options, from: null, wall: null, ...place, isResuming: true });
    },
    /** Selects an audio track by its index. */
    async selectAudio(index) {
      const track = stream?.tracks("audio")[index];
      if (!track) return;
      audio = keyOfTrack(track);
      await stream.selectAudio(track);
    },
    get stream() { return stream; },
    get isInterrupted() { return isInterrupted; },
  };
}
