// What a video element is given to play something.

import { api } from "./api.js";
import { local } from "./address.js";

/** Whether the browser plays HLS by itself. */
export const playsHLS = document.createElement("video").canPlayType("application/vnd.apple.mpegurl") !== "";

const isWhole = ({ state }) => state === "complete" || state === "completeWithHoles";

/**
 * Where an asset plays.
 *
 * @returns {Promise<{src: string} | {reason: string}>} or why it doesn't, in words
 */
export async function sourceOfAsset(asset) {
  const base = local(asset.libraryURL);
  // A recording that has ended has no download, and is whole as far as it goes.
  const isRecorded = !asset.state && asset.kind === "stream" && asset.bytes === undefined;
  if (!asset.state && !isRecorded) return { src: local(await api.playURL(asset.url)) };
  if (asset.kind !== "stream") return { src: base };
  if (playsHLS) return { src: `${base}index.m3u8` };
  if (isWhole(asset) || isRecorded) return { src: movieOf(asset) };
  return { reason: "This browser plays streams only when they are complete. It plays here when the download is." };
}

/** Where something plays that is played through the cache. */
export async function sourceOfURL(url) {
  const src = local(await api.playURL(url));
  if (playsHLS || !/\.m3u8?($|\?)/i.test(url)) return { src };
  return { reason: `This browser doesn’t play streams of this kind. Download all of it: a complete one plays here. Or give this address to another player: ${src}` };
}

/** An asset as one MP4. */
export function movieOf(asset) {
  return `${local(asset.libraryURL)}media.mp4${asset.holeCount ? "?gaps=1" : ""}`;
}

/** Why an asset can't be saved as one file now; null if it can. */
export function whyNotSaved(asset) {
  if (isWhole(asset)) return null;
  if (!asset.state) {
    return asset.kind === "file" && asset.length && asset.bytes >= asset.length ? null
      : asset.kind === "stream" && asset.bytes === undefined ? null
        : "Only a part of it is kept. Download all of it first.";
  }
  return "It can be saved when the download is complete.";
}

/** What to say of an error of a video element's. */
export function wordsForError(error) {
  switch (error?.code) {
    case MediaError.MEDIA_ERR_NETWORK:
      return "Playing stopped: bytes that aren’t kept couldn’t be had. Look whether the origin can be reached, then try again; what is kept still plays.";
    case MediaError.MEDIA_ERR_DECODE:
      return "The browser can’t decode this. Another player may: give it the URL that “mediacache url” prints. If it played before, check what is kept under Storage.";
    default:
      return "This can’t be played here: it couldn’t be had from the origin, or the browser doesn’t know its format. Try again, or give the URL that “mediacache url” prints to another player.";
  }
}
