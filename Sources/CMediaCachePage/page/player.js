// The player: anything that is kept, is being downloaded, or is played through the cache.

import { askToPlay, hasAgreed } from "./agreement.js";
import { api } from "./api.js";
import { local, routes } from "./address.js";
import { make, oncePerFrame, say } from "./elements.js";
import { clock, counted, fileName, nameOf, percent, titleFrom } from "./format.js";
import { icon } from "./icons.js";
import { makeBar, shareKept } from "./keptbar.js";
import { followFile } from "./keptfile.js";
import { followStream } from "./keptstream.js";
import { notify } from "./notices.js";
import { keepPlace } from "./places.js";
import { startKeys } from "./playerkeys.js";
import { reportError } from "./problems.js";
import { startResuming } from "./resuming.js";
import { backTo, go } from "./router.js";
import { movieOf, sourceOfAsset, sourceOfURL, whyNotSaved } from "./source.js";
import { assets, downloads, onEvent } from "./store.js";
import { makeVideo } from "./video.js";
import { progressOf, sizeOf, stateOf, titleOf } from "./words.js";

/** Shows the player, of an asset (`asset/<id>`) or of a URL (`url/<URL>`). */
export function playerView(view) {
  const { main, signal, parts: [kind, name] } = view;
  const asset = kind === "asset" ? assets.get(name) : null;
  if (!name || (kind === "asset" && !asset)) return missing(main);
  if (!asset && !hasAgreed(name)) {
    return askToPlay(main, name, () => {
      main.replaceChildren();
      document.title = `${playerView(view)} – MediaCache`;
    });
  }
  const url = asset?.url ?? name;
  const title = asset ? titleOf(asset) : titleFrom(url);
  const heading = make("h1", {}, title);
  const player = makeVideo({ label: `Player: ${title}`, poster: asset?.cover && local(`${asset.libraryURL}cover`), signal });
  const place = keepPlace(player.video, `${kind} ${name}`, signal);
  const bar = makeBar({ id: "kept-bar", signal, seek: (share) => player.seek(share * player.video.duration) });
  const state = make("p.player-state");
  const actions = make("div.player-actions");

  main.append(
    make("header.view-head.player-head", {},
      make("a.back", { href: backTo(), "aria-label": "Back" }, icon("back")), heading
    ),
    player.element,
    place.element,
    make("section.tape", { "aria-label": "What is kept" }, bar.element, legend(), state),
    actions,
    keysHint());
  startKeys(player.video, signal, () => go(backTo()));

  const live = { asset, url, picture: null, sum: "" };
  const show = oncePerFrame(() => {
    if (signal.aborted) return;
    if (asset) {
      live.asset = assets.get(name) ?? live.asset;
      say(heading, titleOf(live.asset));
    }
    showState(state, live);
    showActions(actions, live, player);
  });
  const head = () => {
    const { currentTime, duration } = player.video;
    bar.head(Number.isFinite(duration) && duration > 0 ? currentTime / duration : null);
  };
  for (const event of ["timeupdate", "seeking", "seeked", "durationchange"]) player.video.addEventListener(event, head);

  const load = async (isAgain) => {
    try {
      const source = asset ? await sourceOfAsset(live.asset) : await sourceOfURL(url);
      if (signal.aborted) return;
      if (source.reason) player.fail(source.reason, null);
      else if (isAgain === true) player.replay(source.src, player.at());
      else player.play(source.src, place.from);
    } catch (error) {
      if (!signal.aborted && !resuming.interrupted()) player.fail(error.message, load);
    }
  };
  const resuming = startResuming({
    player, signal, resume: () => load(true),
    place: () => (player.at() > 0 ? `at ${clock(player.at())}` : "at the live edge"),
  });
  const took = (picture) => {
    live.picture = picture;
    bar.show(picture);
    show();
  };
  follow(asset, url, signal, took, live, player);
  if (asset) {
    assets.watch((id) => { if (id === null || id === name) show(); }, signal);
    downloads.watch((id) => { if (id === null || id === name) show(); }, signal);
  }
  show();
  load();
  return title;
}

/** Follows what is kept: of a file by its bytes, of a stream by its segments. */
function follow(asset, url, signal, took, live, player) {
  const isStream = asset?.kind ? asset.kind === "stream" : null;
  const ofStream = async () => {
    const again = await followStream({ asset: asset?.state ? asset : undefined, url }, (picture, { done, all }) => {
      live.sum = `${done} of ${counted(all, "segment")} kept`;
      took(picture);
    }, signal);
    if (!asset?.state) player.video.addEventListener("timeupdate", again, { once: true });
  };
  if (isStream === true) return void ofStream();
  let isStreamAfterAll = false;
  const begin = () => followFile(url, (picture, record) => {
    if (isStreamAfterAll) return;
    if (isStream === null && record?.stream) {
      isStreamAfterAll = true;
      return void ofStream();
    }
    took(picture);
  }, signal);
  if (asset) return begin();
  // Of what was never played nothing is known before something has come.
  const wait = new AbortController();
  signal.addEventListener("abort", () => wait.abort());
  const come = () => {
    if (wait.signal.aborted) return;
    wait.abort();
    begin();
  };
  player.video.addEventListener("loadeddata", come, { signal: wait.signal });
  onEvent((event) => { if (event.resource === url) come(); }, wait.signal);
}

function showState(state, { asset, picture, sum }) {
  const download = asset && downloads.get(asset.id);
  const parts = [];
  // What is played goes on coming while the download rests: what is kept says more than what that had fetched.
  if (download?.state === "paused" && picture) {
    parts.push("The download is paused", `${percent(shareKept(picture))} is kept`);
  } else if (download) parts.push(progressOf(download));
  else if (asset) parts.push(stateOf(asset), sizeOf(asset));
  else if (picture) parts.push(`${percent(shareKept(picture))} is kept`);
  else parts.push("Plays through the cache; what was played is kept");
  if (sum) parts.push(sum);
  say(state, parts.filter(Boolean).join(" · "));
}

/** What can be done with it. Buttons are made anew only when they are others. */
function showActions(actions, { asset, url }, player) {
  const reason = asset ? whyNotSaved(asset) : "What is played through isn’t an asset yet. Download all of it first.";
  const key = JSON.stringify([asset?.state, asset?.holeCount, reason, asset?.title]);
  if (actions.dataset.key === key) return;
  const focused = actions.contains(document.activeElement) && document.activeElement.dataset.act;
  actions.dataset.key = key;
  actions.replaceChildren(...[
    downloadButton(asset, url), ...saveButton(asset, reason), coverButton(asset, player.video)
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
    case "running": case "queued": case "waiting": return button("Pause the download",
      "The download can’t be paused", change("paused")
    );
    case "paused": return button("Resume the download", "The download can’t go on", change("running"));
    case "failed": case "completeWithHoles": return button("Try again", "It can’t be tried again", change("running"));
    case "complete": return null;
    default: return button("Download all of it", "It can’t be downloaded", async () => {
      const record = await api.addDownload({ url });
      downloads.put(record);
      assets.put(await api.asset(record.id));
      notify("All of it is being downloaded.");
      if (!asset) go(routes.asset(record.id), true);
    });
  }
}

function saveButton(asset, reason) {
  const isOther = asset?.kind === "file" && !/\.(mp4|m4v|m4a|mov|3gp)$/i.test(nameOf(asset.url));
  const label = isOther ? "Save the file" : "Save as MP4";
  if (reason) {
    return [
      make("button.quiet",
        { type: "button", disabled: true, "aria-describedby": "save-reason" }, icon("save"), make("span", {}, label)
      ),
      make("p.hint", { id: "save-reason" }, reason),
    ];
  }
  const title = fileName(titleOf(asset));
  const extension = isOther ? /(\.\w{1,5})?$/.exec(nameOf(asset.url))[0] : ".mp4";
  return [
    make("a.button.main", {
      href: isOther ? local(asset.libraryURL) : movieOf(asset), data: { act: "save" },
      download: title.toLowerCase().endsWith(extension.toLowerCase()) ? title : title + extension,
    }, icon("save"), make("span", {}, label)),
    asset.holeCount ? make("p.hint", {}, `${counted(asset.holeCount, "part")} will be missing in it.`) : null,
  ];
}

function coverButton(asset, video) {
  if (!asset) return null;
  return make("button.quiet", {
    type: "button", data: { act: "cover" },
    on: {
      async click() {
        if (!video.videoWidth) return notify("There is no picture to take yet: play it first.");
        const width = Math.min(640, video.videoWidth);
        const canvas = make("canvas", { width, height: Math.round((width * video.videoHeight) / video.videoWidth) });
        canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
        try {
          const picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
          assets.put(await api.setCover(asset.id, picture));
          notify(`The picture at ${clock(video.currentTime)} is the cover now.`);
        } catch (error) {
          reportError("The picture can’t be kept as a cover", error);
        }
      },
    },
  }, icon("picture"), make("span", {}, "Use this picture as cover"));
}

function legend() {
  const entry = (name, text) => make("li", {}, make(`i.${name}`), text);
  return make("ul.legend", { role: "list" }, entry("kept", "kept"), entry("fresh", "on its way"),
    entry("hole", "not here"), entry("head", "play head")
  );
}

/** What keys do, for who has a keyboard. */
function keysHint() {
  return make("p.hint.keys", {},
    ...[
      ["Space", "plays and pauses"], ["← →", "10 seconds"], ["↑ ↓", "volume"], ["F", "full screen"],
      ["M", "mute"], ["Esc", "back"]
    ]
    .flatMap(([name, text]) => [make("kbd", {}, name), ` ${text} `]));
}

function missing(main) {
  main.append(make("div.empty", {}, make("h1", {}, "This isn’t here any more"),
    make("p", {}, "It was removed, or this is another cache. ", make("a", { href: routes.library }, "To the library"))));
  return "Gone";
}
