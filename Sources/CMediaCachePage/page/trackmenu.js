// The choice of quality, audio, subtitles and speed in the controls of a player.

import { make } from "./elements.js";
import { bitrate, language } from "./format.js";
import { reportError } from "./notices.js";
import { startSubtitles } from "./subtitles.js";
import { nameOfVariant } from "./words.js";

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

/** Returns the name of a track, for example "German" or "Commentary". */
const nameOf = ({ name, language: tag }, index) => name || (tag && language(tag)) || `Track ${index + 1}`;

const nameOfQuality = (variant) =>
  `${nameOfVariant({ ...variant, codecs: variant.codecs.join(",") })}, ${bitrate(variant.bandwidth)}`;

/**
 * Creates the menu of a player.
 *
 * @param {{player: Object, playback: Object|null, signal: AbortSignal}} options `playback` is that of `stream.js`, or
 *   null if only the speed can be chosen
 */
export function makeTrackMenu({ player, playback, signal }) {
  const { video } = player;
  const select = (text, change) => {
    const input = make("select", { on: { change: () => change(Number(input.value)) } });
    return { input, label: make("label.inline", { hidden: true }, make("span", {}, text), input) };
  };
  let ending = new AbortController();
  /** The name of the chosen subtitles, which remain chosen when the stream is attached again. */
  let chosen = null;
  const listeners = [];

  const report = (failure) => (error) => reportError(failure, error);
  const quality = select("Quality", (index) => playback.selectVariant(index).catch(report("The quality can’t be changed")));
  const audio = select("Audio", (index) => playback.selectAudio(index).catch(report("The audio track can’t be changed")));
  const subtitles = select("Subtitles", (index) => showSubtitles(index));
  // A new source begins with the default rate.
  const speed = select("Speed", (value) => { video.defaultPlaybackRate = video.playbackRate = value; });

  fill(speed, speeds.map((value) => [`${value}×`, value]), 1);
  speed.label.hidden = false;
  video.addEventListener("ratechange", () => { speed.input.value = video.playbackRate; });

  function showSubtitles(index) {
    ending.abort();
    ending = new AbortController();
    const { stream } = playback;
    const track = stream?.tracks("text")[index];
    chosen = track ? nameOf(track, index) : null;
    if (track) startSubtitles(stream, track, AbortSignal.any([signal, stream.signal, ending.signal]));
  }

  playback?.onAttach((stream) => {
    const { variants, variant } = stream.presentation;
    fill(quality, variants.map((one, index) => [nameOfQuality(one), index]), variant);
    quality.label.hidden = variants.length < 2;
    const sounds = stream.tracks("audio");
    fill(audio, sounds.map((track, index) => [nameOf(track, index), index]), sounds.indexOf(stream.current("audio")));
    audio.label.hidden = sounds.length < 2;
    const texts = stream.tracks("text");
    const names = texts.map(nameOf);
    fill(subtitles, [["Off", -1], ...names.map((name, index) => [name, index])], names.indexOf(chosen));
    subtitles.label.hidden = texts.length === 0;
    showSubtitles(names.indexOf(chosen));
    for (const listener of listeners) listener();
  });
  return {
    element: make("div.track-menu", {}, quality.label, audio.label, subtitles.label, speed.label),
    hasSubtitles: () => !subtitles.label.hidden,
    /** Calls `listener` when the tracks to choose from change. */
    onChange: (listener) => listeners.push(listener),
    /** Shows the next subtitles, or none after the last ones. */
    nextSubtitles() {
      const { input } = subtitles;
      if (input.options.length < 2) return;
      input.selectedIndex = (input.selectedIndex + 1) % input.options.length;
      showSubtitles(Number(input.value));
    },
    /** Selects the next higher or lower speed. */
    changeSpeed(step) {
      const index = speeds.indexOf(video.playbackRate) + step;
      if (speeds[index]) video.defaultPlaybackRate = video.playbackRate = speeds[index];
    },
  };
}

function fill({ input }, options, value) {
  input.replaceChildren(...options.map(([text, one]) => make("option", { value: one }, text)));
  input.value = String(value);
}
