// The view of a channel: its video, the replay slider, clips, programmes, and the controls of the recording.

import { localURL } from "./address.js";
import { api } from "./api.js";
import { startChannelPlayback } from "./channelplayback.js";
import { makeClipExport } from "./clip.js";
import { addControls } from "./controls.js";
import { atMostEvery, make, oncePerFrame, updateAttribute, updateText } from "./elements.js";
import { fieldTime, moment, time, words } from "./format.js";
import { icon } from "./icons.js";
import { startMediaSession } from "./mediasession.js";
import { notify } from "./notices.js";
import { makeProgrammes } from "./programmes.js";
import { recordingControls } from "./recording.js";
import { makeReplay } from "./replay.js";
import { go } from "./router.js";
import { channels, onEvent } from "./store.js";
import { makeVideo, startKeys } from "./video.js";
import { channelState, channelSums, isFollowing, limitsOf } from "./words.js";

const endName = (record) => (isFollowing(record) ? "the live edge" : "the end");

export function channelView({ main, signal, parts: [name] }) {
  if (!channels.get(name)) {
    main.append(make("div.empty", {},
      make("h1", {}, "Channel not found"),
      make("p", {}, make("a", { href: "#/channels" }, "Back to the channels"))));
    return "Not found";
  }
  const record = () => channels.get(name);
  const base = localURL(record().liveURL).replace(/index\.m3u8$/, "");
  const player = makeVideo({ label: `Player: ${name}`, signal });
  const played = startChannelPlayback({ player, base, record, signal });
  const replay = makeReplay({ base, signal, jump: played.playFrom });
  const clip = makeClipExport({ name, base, record, now: played.now });
  const programmes = makeProgrammes({ name, record, clip, watch: played.playFrom });
  const recording = recordingControls(name, signal);
  const position = make("p.position");
  const live = make("button.live", { type: "button", on: { click: () => played.playLive() } }, "Live");
  const from = make("input", { type: "datetime-local", step: 1, value: fieldTime(record().edge ?? Date.now()) });
  const sums = make("p.player-state");
  const badge = make("span.badge");

  main.append(...[
    make("header.view-head.player-head", {},
      make("a.back", { href: "#/channels", "aria-label": "Back" }, icon("back")), make("h1", {}, name), badge),
    player.element,
    played.note,
    make("section.tape", { "aria-label": "Replay" },
      replay.element,
      make("div.replay-row", {}, live, position, replay.scale),
      make("form.inline-form", { on: { submit: watchFrom } },
        make("label.inline", {}, make("span", {}, "Watch from"), from),
        make("button.quiet.small", { type: "submit" }, "Watch")),
      sums),
    clip.element, programmes.element, recording,
  ].filter(Boolean));
  addControls({ player, timeline: null, menu: played.menu, signal });
  const skip = (seconds) => played.playFrom(played.now() + seconds * 1000);
  startKeys({ player, signal, leave: () => go("#/channels"), menu: played.menu, skip, seek: (share) => played.playFrom(replay.timeAt(share)) });
  startMediaSession({ video: player.video, title: name, skip, signal });

  let gaps = [];
  const show = oncePerFrame(() => {
    if (signal.aborted) return;
    const channel = record();
    if (!channel) return go("#/channels", true);
    const at = played.now();
    replay.show({
      recordedRanges: channel.recordedRanges, edge: channel.edge, endName: endName(channel), gaps,
      programmes: channel.programmes, clip: clip.selection(), at
    });
    const behind = Math.max(0, (channel.edge ?? at) - at);
    const isLive = played.isLive();
    updateAttribute(live, "aria-pressed", String(isLive));
    updateText(position,
      !channel.recordedRanges.length ? "" : isLive ? `Live, ${time(at)}` : `${moment(at)}, ${behind < 1000 ? "" : `${words(behind / 1000)} before `}${endName(channel)}`
    );
    updateText(badge, channel.state === "waiting" ? "Waiting" : channelState(channel));
    updateAttribute(badge, "data-state", channel.state);
    updateText(sums, [
      channel.state === "waiting" && channelState(channel), channelSums(channel), limitsOf(channel.retention),
    ].filter(Boolean).join(" · "));
    clip.show();
    programmes.show();
  });
  const readGaps = atMostEvery(3000, async () => {
    if (signal.aborted || !record()?.gaps) return;
    try { gaps = (await api.gaps(name)).map(({ start, duration }) => ({ from: start, to: start + duration * 1000 })); } catch { return; }
    show();
  });
  channels.watch((changed) => { if (changed === null || changed === name) show(); }, signal);
  onEvent((event) => { if (event.event === "channel.gap" && event.channel === name) setTimeout(readGaps, 1500); }, signal);
  player.video.addEventListener("timeupdate", show);
  played.onJump(show);
  channels.refresh(name);
  readGaps();
  show();
  // A new recording plays as soon as it has data.
  if (record().recordedRanges.length) played.playLive();
  else {
    const begin = new AbortController();
    signal.addEventListener("abort", () => begin.abort());
    channels.watch(() => {
      if (!record()?.recordedRanges.length || begin.signal.aborted) return;
      begin.abort();
      played.playLive();
    }, begin.signal);
  }

  function watchFrom(event) {
    event.preventDefault();
    const at = new Date(from.value).getTime();
    if (Number.isNaN(at)) return notify("Enter a date and a time first.");
    played.playFrom(at);
    player.video.focus();
  }
  return name;
}
