// Reads the times of segments from HLS playlists (RFC 8216bis).

import { requireOK } from "./api.js";

/**
 * Reads a media playlist, or that of the first variant of a multivariant playlist.
 *
 * @param {string} url
 * @returns {Promise<{segments: {start: number, duration: number, wall: number|null, isGap: boolean, url: string}[],
 *   isOver: boolean}>} `start` is in seconds from the start of the playlist; `wall` is in milliseconds since 1970, or
 *   null before the first EXT-X-PROGRAM-DATE-TIME; `isOver` is whether the playlist has an end (EXT-X-ENDLIST)
 */
export async function readSegments(url) {
  const response = await requireOK(await fetch(url, { cache: "no-store" }));
  const lines = (await response.text()).split(/\r?\n/);
  const variant = lines.findIndex((line) => line.startsWith("#EXT-X-STREAM-INF"));
  if (variant >= 0) {
    const uri = lines.slice(variant + 1).find((line) => line && !line.startsWith("#"));
    const child = new URL(uri, response.url);
    // A request for marks of gaps applies to the media playlist.
    if (new URL(response.url).searchParams.has("gaps")) child.searchParams.set("gaps", "1");
    return readSegments(child.href);
  }
  const segments = [];
  let [start, duration, wall, isGap] = [0, 0, null, false];
  for (const line of lines) {
    if (line.startsWith("#EXTINF:")) duration = Number.parseFloat(line.slice(8)) || 0;
    else if (line.startsWith("#EXT-X-PROGRAM-DATE-TIME:")) wall = Date.parse(line.slice(25));
    else if (line === "#EXT-X-GAP") isGap = true;
    else if (line && !line.startsWith("#")) {
      segments.push({ start, duration, wall, isGap, url: new URL(line, response.url).href });
      start += duration;
      if (wall !== null) wall += duration * 1000;
      [duration, isGap] = [0, false];
    }
  }
  return { segments, isOver: lines.includes("#EXT-X-ENDLIST") };
}
