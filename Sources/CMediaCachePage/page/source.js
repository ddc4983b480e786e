// Sources of video elements, for assets and URLs.

import { localURL } from "./address.js";
import { api } from "./api.js";

/** Whether the browser plays HLS natively. */
export const playsHLS = document.createElement("video").canPlayType("application/vnd.apple.mpegurl") !== "";

const isComplete = ({ state }) => state === "complete" || state === "completeWithHoles";

/** The message for played media that must be downloaded before it can be saved. */
export const notDownloaded = "Only partly cached. Download it to save it as MP4.";

/**
 * Returns the source for playing an asset.
 *
 * @returns {Promise<{src: string, gaps?: string} | {reason: string}>} the source, with the playlist that lists its gaps
 *   if there are any, or the reason why the browser can't play it
 */
export async function sourceOfAsset(asset) {
  const base = localURL(asset.libraryURL);
  // A stream without a download: a recording that has ended, or a played stream that was added to the library.
  const isRecorded = !asset.state && asset.kind === "stream" && asset.bytes === undefined;
  if (!asset.state && !isRecorded) return { src: localURL(await api.playURL(asset.url)) };
  if (asset.kind !== "stream") return { src: base };
  // Browsers stop at the first gap in a playlist. An MP4 continues after it.
  if (asset.holeCount && (isComplete(asset) || isRecorded)) return { src: mp4URL(asset), gaps: `${base}index.m3u8?gaps=1` };
  if (playsHLS) return { src: `${base}index.m3u8` };
  if (isComplete(asset) || isRecorded) return { src: mp4URL(asset) };
  return { reason: "This browser plays a stream only after its download is complete." };
}

/** Returns the source for playing a URL through the cache, or the reason why the browser can't play it. */
export async function sourceOfURL(url) {
  const src = localURL(await api.playURL(url));
  if (playsHLS || !/\.m3u8?($|\?)/i.test(url)) return { src };
  return { reason: `This browser can’t play HLS streams. Download the stream to play it here, or open this URL in another player: ${src}` };
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

export function mediaErrorMessage(error) {
  switch (error?.code) {
    case MediaError.MEDIA_ERR_NETWORK:
      return "Playback stopped: the origin didn’t deliver a part that isn’t cached. Check whether the origin is reachable, then try again.";
    case MediaError.MEDIA_ERR_DECODE:
      return "The browser can’t decode this media. Open the URL printed by “mediacache url” in another player. If it played before, check the cache under Storage.";
    default:
      return "Playback failed: the origin didn’t deliver the media, or the browser doesn’t support its format. Try again, or open the URL printed by “mediacache url” in another player.";
  }
}
