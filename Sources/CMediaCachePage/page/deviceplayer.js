// The player of an item on another device.

import { addControls } from "./controls.js";
import { make } from "./elements.js";
import { clock, time } from "./format.js";
import { icon } from "./icons.js";
import { startMediaSession } from "./mediasession.js";
import { playsFragments } from "./presentation.js";
import { startResuming } from "./resuming.js";
import { failureText, makeStreamPlayback } from "./stream.js";
import { filePictures, streamPictures } from "./thumbnails.js";
import { makeTimeline } from "./timeline.js";
import { makeTrackMenu } from "./trackmenu.js";
import { makeVideo, seekWithin, skipWithin, startKeys } from "./video.js";

const toList = () => { location.hash = "#/library"; };

/**
 * Shows the player of an item.
 *
 * @param {Object} view
 * @param {HTMLElement} view.main
 * @param {Object} view.item
 * @param {() => boolean} view.isFinished returns whether nothing will be added to the item for now
 * @param {AbortSignal} view.signal ends playback when aborted
 * @returns {string} the title
 */
export function showItem({ main, item, isFinished, signal }) {
  const { title, folder } = item;
  const heading = make("h1", { tabindex: "-1" }, title);
  const player = makeVideo({
    label: `Player: ${title}`, poster: item.coverChanged ? `${folder}cover` : null, isOnDevice: true, signal,
  });
  const { video } = player;
  const position = () => (player.at() > 0 ? `at ${clock(player.at())}` : "at the live edge");
  const name = item.kind === "channel" ? (stream, place) => time(stream.wallOf(place)) : undefined;
  const playback = makeStreamPlayback({ player, position, name, signal });
  const isStream = item.kind !== "file" && playsFragments;
  const menu = makeTrackMenu({ player, playback: isStream ? playback : null, signal });
  const pictureAt = isStream ? streamPictures(() => playback.stream, signal)
    : item.kind === "file" ? filePictures(folder, signal) : () => null;
  const timeline = makeTimeline({ player, pictureAt, signal });
  addControls({ player, timeline, menu, signal });
  player.toLive = playback.toLive;
  if (item.isFinished && !item.holeCount) timeline.show({ total: 1, spans: [{ start: 0, end: 1 }], loading: [] });
  main.append(
    make("header.view-head.player-head", {},
      make("a.back", { href: "#/library", "aria-label": "Back" }, icon("back")), heading),
    player.element, playback.note);
  heading.focus({ preventScroll: true });

  const load = async (isResuming = false) => {
    const from = isResuming ? player.at() : 0;
    if (!isStream) {
      if (isResuming) player.replay(sourceOf(item), from);
      else player.play(sourceOf(item), from);
      return;
    }
    try {
      await playback.play(`${folder}media.json`, { from: from || null, isOver: isFinished, isResuming });
    } catch (error) {
      if (signal.aborted || error.name === "AbortError" || resuming.interrupted()) return;
      player.fail(failureText(error), () => load());
    }
  };
  const resuming = startResuming({ player, signal, resume: () => load(true), position });
  player.reload = () => load(true);
  const skip = skipWithin(video);
  startKeys({ player, signal, leave: toList, menu, skip, seek: seekWithin(player) });
  startMediaSession({ video, title, artwork: video.poster, skip, signal });
  load();
  return title;
}

/** Returns the URL of a file, or of the playlist for browsers that play only HLS. */
function sourceOf({ kind, folder, isFinished }) {
  if (kind === "file") return folder;
  return `${folder}${kind === "channel" && isFinished ? "all" : "index"}.m3u8`;
}
