// Sources of video elements, for assets and URLs.

import { localURL } from "./address.js";
import { api } from "./api.js";
import { nameOf } from "./format.js";
import { playedPresentation, playsFragments } from "./presentation.js";

/** Whether the browser plays HLS natively, which is used if it doesn't play fragments. */
const playsHLS = document.createElement("video").canPlayType("application/vnd.apple.mpegurl") !== "";

const isComplete = ({ state }) => state === "complete" || state === "completeWithHoles";

/** The message for played media that must be downloaded before it can be saved. */
export const notDownloaded = "Only partly cached. Download it to save it as a file.";

/**
 * A source: the URL of a stream's `media.json`, the URL of a file or playlist for the video element, or the reason why
 * the browser can't play the media.
 *
 * @typedef {{stream: string} | {src: string} | {reason: string}} Source
 */

/** Returns the source for playing an asset. @returns {Promise<Source>} */
export async function sourceOfAsset(asset) {
  const base = localURL(asset.libraryURL);
  // A stream without a download: a recording that has ended, a played stream that was added to the library, or a stream
  // whose download was removed while its data was kept.
  const isStreamWithoutDownload = !asset.state && asset.kind === "stream" && asset.bytes === undefined;
  if (!asset.state && !isStreamWithoutDownload) return sourceOfURL(asset.url, asset.kind);
  // The kind of a download isn't known until shortly after it starts.
  const isStream = asset.kind ? asset.kind === "stream" : playlistName.test(nameOf(asset.url));
  return isStream ? sourceOfStream(`${base}media.json`, `${base}index.m3u8`) : { src: base };
}

/**
 * Returns the source for playing a URL through the cache.
 *
 * @param {string} url
 * @param {"file"|"stream"} [kind] the kind of the media, if it is known
 * @returns {Promise<Source>}
 */
export async function sourceOfURL(url, kind) {
  const src = localURL(await api.playURL(url));
  const name = nameOf(url);
  const isStream = kind ? kind === "stream" : playlistName.test(name) || (!mediaName.test(name) && await isPlaylist(src));
  return isStream ? sourceOfStream(playedPresentation(src), src) : { src };
}

const playlistName = /\.m3u8?$/i;
const mediaName = /\.(mp4|m4v|m4a|mov|3gp|webm|mkv|mp3|aac|ogg|oga|ogv|opus|flac|wav)$/i;

function sourceOfStream(stream, playlist) {
  if (playsFragments) return { stream };
  if (playsHLS) return { src: playlist };
  return { reason: `This browser can’t play streams. Open this URL in another player: ${playlist}` };
}

/** Returns whether the resource at a play URL is a playlist, according to the type in the response. */
async function isPlaylist(src) {
  const ending = new AbortController();
  try {
    const response = await fetch(src, { signal: ending.signal });
    return response.ok && /mpegurl/i.test(response.headers.get("Content-Type") ?? "");
  } catch {
    // The video element shows the failure.
    return false;
  } finally {
    ending.abort();
  }
}

/** Returns the URL of an asset as one MP4. */
export function mp4URL(asset) {
  return `${localURL(asset.libraryURL)}media.mp4${asset.holeCount ? "?gaps=1" : ""}`;
}

/** Returns the reason why an asset can't be saved as one file yet, or null if it can. */
export function reasonNotSavable(asset) {
  if (isComplete(asset)) return null;
  if (!asset.state) {
    return asset.kind === "file" && asset.length && asset.bytes >= asset.length ? null
      : asset.kind === "stream" && asset.bytes === undefined ? null
        : notDownloaded;
  }
  return "You can save it when the download is complete.";
}

/**
 * Returns the message for an error of a video element.
 *
 * @param {boolean} isOnDevice whether it is for another device, which has neither the command nor the storage view
 */
export function mediaErrorMessage(error, isOnDevice) {
  switch (error?.code) {
    case MediaError.MEDIA_ERR_NETWORK:
      return "Playback stopped: the origin didn’t deliver a part that isn’t cached. Check whether the origin is reachable, then try again.";
    case MediaError.MEDIA_ERR_DECODE:
      if (isOnDevice) return "This browser can’t decode this media. Try another browser or device.";
      return "The browser can’t decode this media. Open the URL printed by “mediacache url” in another player. If it played before, check the cache under Storage.";
    default:
      if (isOnDevice) return "Playback failed: the media couldn’t be read, or the browser doesn’t support its format. Try again, or use another browser or device.";
      return "Playback failed: the origin didn’t deliver the media, or the browser doesn’t support its format. Try again, or open the URL printed by “mediacache url” in another player.";
  }
}
