// Thumbnails of the position under the pointer, for timelines of films and channels.

import { make } from "./elements.js";

/** The width of a thumbnail in CSS pixels. */
const thumbnailWidth = 160;
/** The time for which the pointer must rest before a thumbnail is requested, in milliseconds. */
const restFor = 250;
/** The number of consecutive failures after which no more thumbnails are requested. A server may have no decoder. */
const maximumFailures = 3;
/** The maximum number of pictures in memory. */
const maximumPictures = 200;
/** The time within which a browser must decode a picture, in milliseconds. */
const decodeWithin = 3000;

/**
 * A picture to show for a position.
 *
 * @typedef {{key: string, load: () => Promise<CanvasImageSource|null>}} Picture `key` is equal for equal pictures
 */

/**
 * Creates a thumbnail.
 *
 * @param {(at: number) => Picture|null} pictureAt returns the picture at a position, or null if there is none
 */
export function makeThumbnail(pictureAt) {
  const canvas = make("canvas");
  const element = make("div.thumbnail", { "aria-hidden": "true", hidden: true }, canvas);
  const pictures = new Map();
  let timer = null;
  let failures = 0;
  /** The key of the picture to show. */
  let wanted = null;

  const draw = (picture) => {
    const [width, height] = [picture.naturalWidth ?? picture.width, picture.naturalHeight ?? picture.height];
    canvas.width = thumbnailWidth * 2;
    canvas.height = Math.round((canvas.width * height) / width) || 1;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    element.hidden = false;
  };
  const load = async ({ key, load: read }) => {
    const picture = await read().catch(() => null);
    failures = picture ? 0 : failures + 1;
    if (!picture) return;
    if (pictures.size >= maximumPictures) pictures.delete(pictures.keys().next().value);
    pictures.set(key, picture);
    if (key === wanted) draw(picture);
  };
  return {
    element,
    /** Shows the thumbnail of a position at a horizontal distance in CSS pixels, or hides it if `at` is null. */
    show(at, x) {
      clearTimeout(timer);
      const picture = at === null || failures >= maximumFailures ? null : pictureAt(at);
      wanted = picture?.key ?? null;
      if (!picture) {
        element.hidden = true;
        return;
      }
      element.style.setProperty("--x", `${x}px`);
      if (pictures.has(wanted)) return draw(pictures.get(wanted));
      element.hidden = true;
      timer = setTimeout(load, restFor, picture);
    },
  };
}

/** Returns a picture that the server provides. @returns {Picture} */
export const pictureFrom = (src) => ({
  key: src,
  async load() {
    const image = new Image();
    image.src = src;
    await image.decode();
    return image;
  },
});

/** Returns a picture that loads another one if it can't be loaded. @returns {Picture|null} */
export const orElse = (picture, other) => picture && {
  key: picture.key,
  load: async () => (await picture.load().catch(() => null)) ?? other.load(),
};

/** A hidden and muted video, which decodes pictures of media one at a time. */
class Decoder {
  /** @param {AbortSignal} signal ends the decoder when aborted */
  constructor(signal) {
    this.signal = signal;
    this.video = make("video", { playsinline: true, preload: "auto" });
    this.video.muted = true;
    this.last = Promise.resolve();
    signal.addEventListener("abort", () => {
      this.video.removeAttribute("src");
      this.video.load();
    });
  }

  /** Runs `work` after the previous one. */
  inTurn(work) {
    const result = this.last.then(() => {
      // Otherwise the video would load its source after the view has ended.
      this.signal.throwIfAborted();
      return work();
    });
    this.last = result.catch(() => {});
    return result;
  }

  /** Returns the picture at a position of the video's source. */
  async pictureAt(place) {
    const { video } = this;
    video.currentTime = place;
    await eventOf(video, "seeked");
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) await eventOf(video, "loadeddata");
    const height = Math.round((thumbnailWidth * 2 * video.videoHeight) / video.videoWidth);
    return createImageBitmap(video, { resizeWidth: thumbnailWidth * 2, resizeHeight: height });
  }
}

/**
 * Waits for an event of a video, a media source or a source buffer. Such events occur later than the call that causes
 * them.
 *
 * @throws {Error} after an error event, or if the event doesn't occur in time
 */
function eventOf(target, name) {
  return new Promise((resolve, reject) => {
    const ending = new AbortController();
    const end = (act) => () => {
      clearTimeout(timer);
      ending.abort();
      act();
    };
    const fail = end(() => reject(new Error(`no event “${name}”`)));
    const timer = setTimeout(fail, decodeWithin);
    target.addEventListener(name, end(resolve), { signal: ending.signal });
    target.addEventListener("error", fail, { signal: ending.signal });
  });
}

/**
 * Returns a function for the first picture of a stream's segment at a position, which is a key picture.
 *
 * @param {() => Object|null} streamOf returns the attached stream (`mediasource.js`)
 * @param {AbortSignal} signal
 * @returns {(at: number) => Picture|null}
 */
export function streamPictures(streamOf, signal) {
  const decoder = new Decoder(signal);
  /** The type of the source's buffer, and the buffer. */
  let opened = { type: null, buffer: null };

  async function open(type) {
    if (opened.type === type) return opened.buffer;
    const source = new MediaSource();
    const address = URL.createObjectURL(source);
    decoder.video.src = address;
    await eventOf(source, "sourceopen").finally(() => URL.revokeObjectURL(address));
    opened = { type, buffer: source.addSourceBuffer(type) };
    return opened.buffer;
  }

  async function decode(url, type) {
    const response = await fetch(url, { signal });
    if (!response.ok) return null;
    const bytes = await response.arrayBuffer();
    const buffer = await open(type);
    if (buffer.buffered.length) {
      buffer.remove(0, Infinity);
      await eventOf(buffer, "updateend");
    }
    buffer.appendBuffer(bytes);
    await eventOf(buffer, "updateend");
    return decoder.pictureAt(buffer.buffered.start(0));
  }

  return (at) => {
    const stream = streamOf();
    const track = stream?.current("video");
    const row = track && stream.rows.rows.find(({ place, duration }) => at >= place && at < place + duration);
    if (!row || row.isGap) return null;
    const url = track.fragmentURL(row.number);
    return {
      key: url,
      load: () => decoder.inTurn(() => decode(url, track.type).catch((error) => {
        // A source can't be used after an error.
        opened = { type: null, buffer: null };
        throw error;
      })),
    };
  };
}

/**
 * Returns a function for the picture of a file at a position.
 *
 * @param {string} src the URL of the file
 * @param {AbortSignal} signal
 * @returns {(at: number, isCached: (at: number) => boolean) => Picture|null}
 */
export function filePictures(src, signal) {
  const decoder = new Decoder(signal);
  const open = async () => {
    if (decoder.video.getAttribute("src")) return;
    // Browsers then read little beyond the picture.
    decoder.video.preload = "metadata";
    decoder.video.src = src;
    await eventOf(decoder.video, "loadedmetadata");
  };
  return (at, isCached) => {
    // One picture for 10 seconds, if it is cached.
    const start = Math.floor(at / 10) * 10;
    const place = isCached(start) ? start : at;
    return {
      key: `${src} ${place}`,
      load: () => decoder.inTurn(async () => {
        await open();
        return decoder.pictureAt(place);
      }),
    };
  };
}
