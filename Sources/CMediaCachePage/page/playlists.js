// Reads the segments of HLS playlists (RFC 8216bis).

import { requireOK } from "./api.js";

/**
 * Reads a media playlist, or that of the first variant of a multivariant playlist.
 *
 * @param {string} url
 * @returns {Promise<{segments: {start: number, duration: number, url: string}[], isOver: boolean}>} `start` is in
 *   seconds from the start of the playlist; `isOver` is whether the playlist has an end (EXT-X-ENDLIST)
 */
export async function readSegments(url) {
  const response = await requireOK(await fetch(url, { cache: "no-store" }));
  const lines = (await response.text()).split(/\r?\n/);
  const variant = lines.findIndex((line) => line.startsWith("#EXT-X-STREAM-INF"));
  if (variant >= 0) {
    const uri = lines.slice(variant + 1).find((line) => line && !line.startsWith("#"));
    return readSegments(new URL(uri, response.url).href);
  }
  const segments = [];
  let [start, duration] = [0, 0];
  for (const line of lines) {
    if (line.startsWith("#EXTINF:")) duration = Number.parseFloat(line.slice(8)) || 0;
    else if (line && !line.startsWith("#")) {
      segments.push({ start, duration, url: new URL(line, response.url).href });
      start += duration;
      duration = 0;
    }
  }
  return { segments, isOver: lines.includes("#EXT-X-ENDLIST") };
}
