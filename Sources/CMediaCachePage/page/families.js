// What was played through, as a person would list it: a stream is one thing, however many files it has.

/** The folder of a URL, with a slash at its end. */
const folderOf = (url) => url.slice(0, url.split(/[?#]/)[0].lastIndexOf("/") + 1);
const isPlaylist = ({ format, type }) => format === "m3u8" || /mpegurl/i.test(type);
/** What is no use by itself: parts of streams, keys, subtitles. */
const isPart = ({ format, type }) => ["ts", "m4s", "vtt", "key", "aac", "cmfv", "cmfa"].includes(format) || type === "text/vtt";

/** A playlist stands for what lies below its folder, unless that is all of its host. */
const isRoot = (folder) => folder.split("/").length <= 4;

/**
 * Puts resources together.
 *
 * @param {Object[]} resources
 * @param {string[]} owned URLs of assets and channels: what belongs to these isn't listed
 * @returns {{id: string, url: string, main: Object, parts: Object[], bytes: number, lastUsed: string, isLoose: boolean}[]}
 *   newest first; what is loose has no playlist to play it by
 */
export function families(resources, owned) {
  const urls = new Set(owned);
  const folders = owned.filter((url) => /\.m3u8?($|[?#])/i.test(url)).map(folderOf);
  const isOwned = (resource) => resource.key.startsWith("recording/")
    || (resource.pinned && (isPart(resource) || isPlaylist(resource)) && folders.some((folder) => resource.url.startsWith(folder)));
  const rest = resources.filter((resource) => !isOwned(resource));

  const found = new Map();
  const headOf = (url) => {
    const own = found.get(folderOf(url));
    if (own) return own;
    for (const [folder, head] of found) if (!isRoot(folder) && url.startsWith(folder)) return head;
    return null;
  };
  // The playlist that lies highest comes first.
  const playlists = rest.filter(isPlaylist).sort((one, other) => folderOf(one.url).length - folderOf(other.url).length);
  for (const playlist of playlists) {
    const head = headOf(playlist.url);
    if (head) add(head, playlist);
    else found.set(folderOf(playlist.url), family(playlist));
  }
  const singles = [];
  const loose = new Map();
  for (const resource of rest) {
    if (isPlaylist(resource)) continue;
    const head = isPart(resource) && headOf(resource.url);
    if (head) add(head, resource);
    else if (!isPart(resource)) singles.push(family(resource));
    else if (loose.has(folderOf(resource.url))) add(loose.get(folderOf(resource.url)), resource);
    else loose.set(folderOf(resource.url), { ...family(resource), url: folderOf(resource.url), isLoose: true });
  }
  return [...found.values(), ...singles, ...loose.values()]
    .filter(({ main }) => !urls.has(main.url))
    .sort((one, other) => other.lastUsed.localeCompare(one.lastUsed));
}

const family = (main) => ({
  id: String(main.id), url: main.url, main, parts: [], bytes: main.bytesCached, lastUsed: main.lastUsed,
  isLoose: false
});

function add(of, part) {
  of.parts.push(part);
  of.bytes += part.bytesCached;
  if (part.lastUsed > of.lastUsed) of.lastUsed = part.lastUsed;
}
