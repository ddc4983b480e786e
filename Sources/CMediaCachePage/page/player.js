// The player of an asset or of a URL, with its coverage bar and actions.

import { localURL, routes } from "./address.js";
import { api } from "./api.js";
import { askToPlay, isPlaybackAllowed, withEnteredUser } from "./consent.js";
import { addControls } from "./controls.js";
import { followFile, followStream } from "./coverage.js";
import { cachedShare } from "./coveragebar.js";
import { make, oncePerFrame, updateText } from "./elements.js";
import { clock, counted, fileName, nameOf, percent, titleFrom } from "./format.js";
import { icon } from "./icons.js";
import { startMediaSession } from "./mediasession.js";
import { notify, reportError } from "./notices.js";
import { startResuming } from "./resuming.js";
import { backTo, go } from "./router.js";
import { mp4URL, notDownloaded, reasonNotSavable, sourceOfAsset, sourceOfURL } from "./source.js";
import { assets, downloads, onEvent } from "./store.js";
import { failureText, makeStreamPlayback } from "./stream.js";
import { filePictures, orElse, pictureFrom, streamPictures } from "./thumbnails.js";
import { makeTimeline } from "./timeline.js";
import { makeTrackMenu } from "./trackmenu.js";
import { makeVideo, seekWithin, skipWithin, startKeys } from "./video.js";
import { startWatching } from "./watching.js";
import { exceptionOf, progressOf, sizeOf, titleOf } from "./words.js";

/** Shows the player of an asset (`asset/<id>`) or of a URL (`url/<URL>`). */
export function playerView(view) {
  const { main, signal, parts: [kind, name] } = view;
  const asset = kind === "asset" ? assets.get(name) : null;
  if (!name || (kind === "asset" && !asset)) return missing(main);
  if (!asset && !isPlaybackAllowed(name)) {
    return askToPlay(main, name, () => {
      main.replaceChildren();
      document.title = `${playerView(view)} – MediaCache`;
    });
  }
  const url = asset?.url ?? withEnteredUser(name);
  const title = asset ? titleOf(asset) : titleFrom(url);
  const heading = make("h1", {}, title);
  const player = makeVideo({ label: `Player: ${title}`, poster: asset?.cover && localURL(`${asset.libraryURL}cover`), signal });
  const position = rememberPosition(player.video, `${kind} ${name}`, asset?.position, signal);
  const place = () => (player.at() > 0 ? `at ${clock(player.at())}` : "at the live edge");
  const playback = makeStreamPlayback({ player, position: place, signal });
  const menu = makeTrackMenu({ player, playback, signal });
  const pictures = { stream: streamPictures(() => playback.stream, signal), file: null };
  const decoded = (at, isCached) => (pictures.file ?? pictures.stream)(at, isCached);
  // The server extracts a frame of an asset if the browser can't.
  const extracted = (at) => pictureFrom(`${localURL(asset.libraryURL)}frame.jpg?t=${Math.floor(at)}`);
  const pictureAt = asset ? (at, isCached) => orElse(decoded(at, isCached), extracted(at)) : decoded;
  const timeline = makeTimeline({ player, signal, pictureAt });
  addControls({ player, timeline, menu, signal });
  player.toLive = playback.toLive;
  const state = make("p.player-state");
  const actions = make("div.player-actions");

  main.append(
    make("header.view-head.player-head", {},
      make("a.back", { href: backTo(), "aria-label": "Back" }, icon("back")), heading),
    player.element,
    playback.note,
    position.element,
    make("section.tape", { "aria-label": "Cached ranges" }, legend(), state),
    actions);
  const skip = skipWithin(player.video);
  startKeys({ player, signal, leave: () => go(backTo()), menu, skip, seek: seekWithin(player) });
  startMediaSession({ video: player.video, title, artist: asset?.artist, album: asset?.album, artwork: player.video.poster, skip, signal });
  if (asset) startWatching(player.video, asset.id, signal);

  const shown = { asset, url, coverage: null, segments: "" };
  const show = oncePerFrame(() => {
    if (signal.aborted) return;
    if (asset) {
      shown.asset = assets.get(name) ?? shown.asset;
      updateText(heading, titleOf(shown.asset));
    }
    showState(state, shown);
    showActions(actions, shown, player);
  });
  // Whether there are pictures isn't known until then.
  player.video.addEventListener("loadedmetadata", show);

  const load = async (isResuming = false) => {
    try {
      const source = asset ? await sourceOfAsset(shown.asset) : await sourceOfURL(url);
      if (signal.aborted) return;
      const from = isResuming ? player.at() : position.from;
      if (source.stream) return await playback.play(source.stream, { from: from || null, isResuming });
      if (source.reason) return player.fail(source.reason, null);
      pictures.file ??= filePictures(source.src, signal);
      if (isResuming) player.replay(source.src, from);
      else player.play(source.src, from);
    } catch (error) {
      if (signal.aborted || error.name === "AbortError" || resuming.interrupted()) return;
      player.fail(failureText(error), () => load());
    }
  };
  const resuming = startResuming({ player, signal, resume: () => load(true), position: place });
  player.reload = () => load(true);
  const showCoverage = (coverage) => {
    shown.coverage = coverage;
    // Events of playback don't change the record.
    if (asset?.kind === "file" && shown.asset.bytes < shown.asset.length && cachedShare(coverage) === 1) assets.refresh(asset.id);
    timeline.show(coverage);
    show();
  };
  follow(asset, url, signal, showCoverage, shown, player);
  if (asset) {
    assets.watch((id) => { if (id === null || id === name) show(); }, signal);
    downloads.watch((id) => { if (id === null || id === name) show(); }, signal);
  }
  show();
  load();
  return title;
}

/** Follows the coverage, by bytes for a file and by segments for a stream. */
function follow(asset, url, signal, showCoverage, shown, player) {
  const isStream = asset?.kind ? asset.kind === "stream" : null;
  const followSegments = async () => {
    const reload = await followStream({ asset: asset?.state ? asset : undefined, url }, (coverage, { cached, all }) => {
      shown.segments = `${cached} of ${counted(all, "segment")} cached`;
      showCoverage(coverage);
    }, signal);
    // The playlist of a stream isn't cached until the stream is played.
    if (!asset?.state) player.video.addEventListener("timeupdate", reload, { once: true });
  };
  if (isStream === true) return void followSegments();
  let isFoundToBeStream = false;
  const followBytes = () => followFile(url, (coverage, record) => {
    if (isFoundToBeStream) return;
    if (isStream === null && record?.stream) {
      isFoundToBeStream = true;
      return void followSegments();
    }
    showCoverage(coverage);
  }, signal);
  if (asset) return followBytes();
  // There may be no record of the URL until it is played.
  const waiting = new AbortController();
  signal.addEventListener("abort", () => waiting.abort());
  const begin = () => {
    if (waiting.signal.aborted) return;
    waiting.abort();
    followBytes();
  };
  player.video.addEventListener("loadeddata", begin, { signal: waiting.signal });
  onEvent((event) => { if (event.resource === url) begin(); }, waiting.signal);
}

function showState(state, { asset, coverage, segments }) {
  const download = asset && downloads.get(asset.id);
  const parts = [];
  // Playback fills the cache even while the download is paused, so the coverage may exceed the download's progress.
  if (download?.state === "paused" && coverage) {
    parts.push("Download paused", `${percent(cachedShare(coverage))} cached`);
  } else if (download) parts.push(progressOf(download));
  else if (asset) {
    // The record counts bytes. All segments that the player uses may be cached, although others aren't.
    const isCached = coverage && cachedShare(coverage) === 1;
    if (isCached && !asset.state && !asset.isRecorded) {
      const { kind, bytes, length } = asset;
      parts.push("Fully cached", sizeOf(kind === "file" && length ? { bytes: length, length } : { bytes }));
    }
    else parts.push(exceptionOf(asset), sizeOf(asset));
  }
  else if (coverage) parts.push(`${percent(cachedShare(coverage))} cached`);
  else parts.push("Streaming through the cache");
  if (segments) parts.push(segments);
  updateText(state, parts.filter(Boolean).join(" · "));
}

/** Shows the actions available in the current state. The buttons are replaced only when the state changes. */
function showActions(actions, { asset, url }, player) {
  const reason = asset ? reasonNotSavable(asset) : notDownloaded;
  const hasPictures = player.video.videoWidth > 0;
  const key = JSON.stringify([asset?.state, asset?.holeCount, reason, asset?.title, hasPictures]);
  if (actions.dataset.key === key) return;
  const focused = actions.contains(document.activeElement) && document.activeElement.dataset.act;
  actions.dataset.key = key;
  actions.replaceChildren(...[
    downloadButton(asset, url), ...saveButton(asset, reason), hasPictures && coverButton(asset, player.video)
  ].filter(Boolean));
  if (focused) (actions.querySelector(`[data-act="${focused}"]`) ?? actions.firstElementChild)?.focus();
}

function downloadButton(asset, url) {
  const button = (label, failure, act) => make("button.quiet", {
    type: "button", data: { act: "download" },
    on: { async click() { try { await act(); } catch (error) { reportError(failure, error); } } },
  }, label);
  const change = (state) => async () => downloads.put(await api.changeDownload(asset.id, { state }));
  switch (asset?.state) {
    case "running": case "queued": case "waiting":
      return button("Pause the download", "The download can’t be paused", change("paused"));
    case "paused": return button("Resume the download", "The download can’t be resumed", change("running"));
    case "failed": case "completeWithHoles":
      return button("Try again", "The download can’t be retried", change("running"));
    case "complete": return null;
    default: return button("Download", "The download can’t be started", async () => {
      const record = await api.addDownload({ url });
      downloads.put(record);
      assets.put(await api.asset(record.id));
      notify(`Downloading “${titleOf(record)}”.`);
      if (!asset) go(routes.asset(record.id), true);
    });
  }
}

function saveButton(asset, reason) {
  const isSavedAsIs = asset?.kind === "file" && !/\.(mp4|m4v|m4a|mov|3gp)$/i.test(nameOf(asset.url));
  const label = isSavedAsIs ? "Save the file" : "Save as MP4";
  if (reason) {
    return [
      make("button.quiet", { type: "button", disabled: true, "aria-describedby": "save-reason" },
        icon("save"), make("span", {}, label)),
      make("p.hint", { id: "save-reason" }, reason),
    ];
  }
  const title = fileName(titleOf(asset));
  const extension = isSavedAsIs ? /(\.\w{1,5})?$/.exec(nameOf(asset.url))[0] : ".mp4";
  return [
    make("a.button.main", {
      href: isSavedAsIs ? localURL(asset.libraryURL) : mp4URL(asset), data: { act: "save" },
      download: title.toLowerCase().endsWith(extension.toLowerCase()) ? title : title + extension,
    }, icon("save"), make("span", {}, label)),
    asset.holeCount ? make("p.hint", {}, `${counted(asset.holeCount, "segment")} will be missing from the file.`) : null,
  ];
}

function coverButton(asset, video) {
  if (!asset) return null;
  return make("button.quiet", {
    type: "button", data: { act: "cover" },
    on: {
      async click() {
        const width = Math.min(640, video.videoWidth);
        const canvas = make("canvas", { width, height: Math.round((width * video.videoHeight) / video.videoWidth) });
        canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
        try {
          const picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
          assets.put(await api.setCover(asset.id, picture));
          notify(`Set the cover to the frame at ${clock(video.currentTime)}.`);
        } catch (error) {
          reportError("The cover can’t be set", error);
        }
      },
    },
  }, icon("picture"), make("span", {}, "Use this frame as cover"));
}

function legend() {
  const names = ["cached", "loading", "missing", "playhead"];
  return make("ul.legend", { role: "list" }, ...names.map((name) => make("li", {}, make(`i.${name}`), name)));
}

function missing(main) {
  main.append(make("div.empty", {}, make("h1", {}, "Not found"),
    make("p", {}, "This item isn’t in the library. ",
      make("a", { href: routes.library }, "Back to the library"))));
  return "Not found";
}

/** The distance from the start and the end, in seconds, within which the position isn't stored. */
const margin = 5;

/**
 * Stores a video's position in this tab, so that playback resumes there after a reload, and offers to start over.
 *
 * @param {HTMLVideoElement} video
 * @param {string} name the key of the position
 * @param {number|undefined} known the server's position. That of this tab is more exact.
 * @param {AbortSignal} signal stops it when aborted
 */
function rememberPosition(video, name, known, signal) {
  const key = `mediacache.position ${name}`;
  let from = 0;
  try { from = Number(sessionStorage.getItem(key) ?? known) || 0; } catch { /* playback starts at 0 */ }
  const again = make("button.quiet.small", { type: "button" }, "Start over");
  const text = make("span", {}, `Resumed at ${clock(from)}.`);
  const element = make("p.resumed", { role: "status", hidden: from <= 0 }, text, " ", again);
  again.addEventListener("click", () => {
    video.currentTime = 0;
    video.play().catch(() => {});
    element.hidden = true;
    video.focus();
  });

  const store = () => {
    const { currentTime: at, duration } = video;
    // The position isn't valid after a failure, before the metadata is loaded, during a seek, and in a live stream.
    if (video.error || video.readyState === 0 || video.seeking || !Number.isFinite(duration)) return;
    try {
      if (at > margin && at < duration - margin) sessionStorage.setItem(key, at.toFixed(1));
      else sessionStorage.removeItem(key);
    } catch { /* a reload starts at 0 */ }
  };
  for (const event of ["timeupdate", "seeked", "pause"]) video.addEventListener(event, store, { signal });
  return { element, from };
}
