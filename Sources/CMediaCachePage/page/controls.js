// The controls over a video.

import { showDialog } from "./dialogs.js";
import { make, updateAttribute, updateText } from "./elements.js";
import { clock } from "./format.js";
import { icon } from "./icons.js";
import { rangeOf, shortcuts, takesText } from "./video.js";

/** The time without a movement of the pointer after which the controls of a playing video are hidden, in milliseconds. */
const hiddenAfter = 3000;
/** The distance from the live edge that counts as live, in seconds. */
const liveWithin = 20;

/**
 * Adds controls to a player.
 *
 * @param {Object} options
 * @param {ReturnType<import("./video.js").makeVideo>} options.player
 * @param {ReturnType<import("./timeline.js").makeTimeline>|null} options.timeline null if it is elsewhere
 * @param {ReturnType<import("./trackmenu.js").makeTrackMenu>} options.menu
 * @param {AbortSignal} options.signal
 */
export function addControls({ player, timeline, menu, signal }) {
  const { video, picture } = player;
  const button = (name, label, act, properties = {}) =>
    make("button.control", { type: "button", "aria-label": label, title: label, ...properties, on: { click: act } }, icon(name));

  const play = button("play", "Play", player.togglePlay);
  const mute = button("sound", "Mute", () => { video.muted = !video.muted; });
  const volume = make("input.volume", { type: "range", min: 0, max: 1, step: 0.05, "aria-label": "Volume" });
  const time = make("span.control-time");
  const live = make("button.control.live-edge", { type: "button", hidden: true, on: { click: toLive } }, "Live");
  const subtitles = button("subtitles", "Next subtitles", menu.nextSubtitles, { hidden: true });
  const settings = make("details.control-menu", {},
    make("summary.control", { "aria-label": "Playback settings", title: "Playback settings" }, icon("settings")),
    menu.element);
  const inset = button("pip", "Picture in picture", player.togglePictureInPicture,
    { hidden: !document.pictureInPictureEnabled });
  const help = button("help", "Keyboard shortcuts", showKeys);
  const full = button("full", "Full screen", player.toggleFullScreen);
  const bar = make("div.controls", { role: "group", "aria-label": "Playback" },
    timeline?.element,
    make("div.control-row", {}, play, mute, volume, time, live, make("span.space"), subtitles, settings, help, inset, full));
  picture.append(bar);
  // Without the focus on a button that was clicked, Space still plays and pauses.
  bar.addEventListener("mousedown", (event) => { if (event.target.closest("button, summary")) event.preventDefault(); });

  function toLive() {
    player.toLive?.();
    video.play().catch(() => {});
  }

  const show = () => {
    const isPaused = video.paused || video.ended;
    setIcon(play, isPaused ? "play" : "pause", isPaused ? "Play" : "Pause");
    const isSilent = video.muted || video.volume === 0;
    setIcon(mute, isSilent ? "silent" : "sound", video.muted ? "Unmute" : "Mute");
    if (document.activeElement !== volume) volume.value = video.muted ? 0 : video.volume;
    subtitles.hidden = !menu.hasSubtitles();
    if (!timeline) return;
    const range = rangeOf(video);
    const isLive = Boolean(range) && video.duration === Infinity;
    live.hidden = !isLive;
    const behind = isLive ? Math.max(0, range.to - video.currentTime) : 0;
    updateAttribute(live, "aria-pressed", isLive ? String(behind < liveWithin) : null);
    updateText(time, !range ? "" : isLive ? (behind < liveWithin ? "" : `−${clock(behind)}`)
      : `${clock(video.currentTime)} / ${clock(video.duration)}`);
  };
  for (const event of ["play", "pause", "ended", "timeupdate", "seeked", "durationchange", "volumechange", "loadedmetadata", "emptied"]) {
    video.addEventListener(event, show);
  }
  menu.onChange(show);
  volume.addEventListener("input", () => {
    video.volume = Number(volume.value);
    video.muted = false;
  });

  // A song has no picture, so its controls don't cover one.
  for (const event of ["loadedmetadata", "resize"]) {
    video.addEventListener(event, () => picture.classList.toggle("song", video.videoWidth === 0));
  }

  const placeSubtitles = makeSubtitlePlacement(player, bar);
  let timer = null;
  const hide = () => {
    const isUsed = video.paused || settings.open || bar.querySelector(":focus-visible") || picture.classList.contains("song");
    if (!isUsed) picture.classList.add("idle");
    placeSubtitles();
  };
  const wake = () => {
    picture.classList.remove("idle");
    placeSubtitles();
    clearTimeout(timer);
    timer = setTimeout(hide, hiddenAfter);
  };
  for (const event of ["pointermove", "pointerdown", "focusin", "keydown"]) picture.addEventListener(event, wake);
  for (const event of ["play", "pause", "seeking"]) video.addEventListener(event, wake);
  // A finger leaves the picture whenever it is lifted.
  picture.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
  let isTouch = false;
  // The click events of some browsers don't have the type of the pointer.
  video.addEventListener("pointerdown", (event) => { isTouch = event.pointerType === "touch"; });
  video.addEventListener("click", () => {
    // A tap shows the controls; a click plays or pauses.
    if (isTouch) return;
    settings.open = false;
    player.togglePlay();
  });
  video.addEventListener("dblclick", player.toggleFullScreen);
  document.addEventListener("pointerdown", (event) => {
    if (settings.open && !settings.contains(event.target)) settings.open = false;
  }, { signal });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && settings.open) {
      settings.open = false;
      settings.querySelector("summary").focus();
      return;
    }
    const isTyping = event.target.closest?.(takesText) || document.querySelector("dialog[open]");
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    showKeys();
  }, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  show();
}

/** The height of a line of subtitles, as a fraction of the height of the video (WebVTT §7.4: a font of 5 %). */
const subtitleHeight = 0.06;

/**
 * Returns a function that moves subtitles above the controls while these are visible, and back afterwards. Subtitles
 * with a position of their own aren't moved.
 */
function makeSubtitlePlacement({ video, picture }, bar) {
  const moved = new Set();
  const place = () => {
    if (picture.classList.contains("idle")) {
      for (const cue of moved) cue.line = "auto";
      return moved.clear();
    }
    const height = bar.clientHeight - bar.firstElementChild.offsetTop;
    const lines = Math.ceil(height / (video.clientHeight * subtitleHeight));
    for (const { activeCues } of video.textTracks) {
      for (const cue of activeCues ?? []) {
        if (cue.line !== "auto" || cue.vertical) continue;
        // Negative lines count from the bottom. One more line is reserved, because a line of the text may be wrapped.
        cue.line = -lines - cue.text.split("\n").length - 1;
        moved.add(cue);
      }
    }
  };
  video.textTracks.addEventListener("addtrack", ({ track }) => track.addEventListener("cuechange", place));
  return place;
}

function setIcon(button, name, label) {
  updateAttribute(button, "aria-label", label);
  updateAttribute(button, "title", label);
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
}

function showKeys() {
  showDialog({
    title: "Keyboard shortcuts",
    content: [make("dl.key-list", {}, ...shortcuts.map(([names, effect]) => make("div", {},
      make("dt", {}, ...names.split(" ").map((name) => make("kbd", {}, name))), make("dd", {}, effect))))],
    buttons: [{ label: "Close" }],
    kind: "narrow",
  });
}
