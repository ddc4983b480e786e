// One channel: its video, the slider over all that is kept of it, and what can be made of it.

import { api } from "./api.js";
import { local } from "./address.js";
import { atMostEvery, make, mark, oncePerFrame, say } from "./elements.js";
import { fieldTime, moment, time, words } from "./format.js";
import { icon } from "./icons.js";
import { notify } from "./notices.js";
import { startKeys } from "./playerkeys.js";
import { makeProgrammes } from "./programmes.js";
import { recordingControls } from "./recording.js";
import { makeReplay } from "./replay.js";
import { go } from "./router.js";
import { playsHLS } from "./source.js";
import { channels, onEvent } from "./store.js";
import { makeStretch } from "./stretch.js";
import { makeVideo } from "./video.js";
import { startWindow } from "./window.js";
import { channelState, channelSums, limitsOf } from "./words.js";

/** Shows a channel. */
export function channelView({ main, signal, parts: [name] }) {
  if (!channels.get(name)) {
    main.append(make("div.empty", {},
      make("h1", {}, "There is no such channel"),
      make("p", {}, make("a", { href: "#/channels" }, "To the channels"))
    ));
    return "Gone";
  }
  const record = () => channels.get(name);
  const base = local(record().liveURL).replace(/index\.m3u8$/, "");
  const player = makeVideo({ label: `Player: ${name}`, signal });
  const played = startWindow({ player, base, record, signal });
  const replay = makeReplay({ base, signal, jump: (at) => played.playFrom(at), at: () => played.now() });
  const stretch = makeStretch({ name, base, record, now: () => played.now(), signal });
  const programmes = makeProgrammes({ name, record, stretch, signal, watch: (at) => played.playFrom(at) });
  const recording = recordingControls(name, signal);
  const where = make("p.where");
  const live = make("button.live", { type: "button", on: { click: () => played.playLive() } }, playsHLS ? "Live" : "Newest");
  const from = make("input", { type: "datetime-local", step: 1, value: fieldTime(record().edge ?? Date.now()) });
  const sums = make("p.player-state");
  const badge = make("span.badge");

  main.append(...[
    make("header.view-head.player-head", {},
      make("a.back", { href: "#/channels", "aria-label": "Back" }, icon("back")), make("h1", {}, name),
      badge
    ),
    player.element,
    !playsHLS && make("p.hint.without-live", {},
      "This browser plays channels a minute late or more. For what is live at this moment, give this address to another player: ",
      make("code", {}, `${base}index.m3u8`)
    ),
    make("section.tape", { "aria-label": "Replay" },
      replay.element,
      make("div.replay-row", {}, live, where, replay.scale),
      make("form.inline-form", { on: { submit: watchFrom } },
        make("label.inline", {}, make("span", {}, "Watch from"), from),
        make("button.quiet.small", { type: "submit" }, "Watch from here")),
      sums),
    stretch.element, programmes.element, recording,
  ].filter(Boolean));
  startKeys(player.video, signal, () => go("#/channels"), (seconds) => played.playFrom(played.now() + seconds * 1000));

  let gaps = [];
  const show = oncePerFrame(() => {
    if (signal.aborted) return;
    const channel = record();
    if (!channel) return go("#/channels", true);
    const at = played.now();
    replay.show({
      kept: channel.kept, edge: channel.edge, gaps, programmes: channel.programmes, stretch: stretch.marked(),
      at
    });
    const behind = Math.max(0, (channel.edge ?? at) - at);
    const isLive = behind < 20_000 && channel.state !== "ended" && channel.state !== "stopped";
    mark(live, "aria-pressed", String(isLive));
    say(where,
      !channel.kept.length ? "" : isLive ? `Live, ${time(at)}` : `${moment(at)}, ${words(behind / 1000)} before the ${channel.state === "ended" ? "end" : "live edge"}`
    );
    say(badge, channel.state === "waiting" ? "Waiting" : channelState(channel));
    mark(badge, "data-state", channel.state);
    say(sums,
      [
        channel.state === "waiting" && channelState(channel), channelSums(channel), limitsOf(channel.retention)
      ].filter(Boolean).join(" · ")
    );
    stretch.show();
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
  // What begins to be recorded has nothing to play yet: it plays as soon as it has.
  if (record().kept.length) played.playLive();
  else {
    const begin = new AbortController();
    signal.addEventListener("abort", () => begin.abort());
    channels.watch(() => {
      if (!record()?.kept.length || begin.signal.aborted) return;
      begin.abort();
      played.playLive();
    }, begin.signal);
  }

  function watchFrom(event) {
    event.preventDefault();
    const at = new Date(from.value).getTime();
    if (Number.isNaN(at)) return notify("Type a day and a time first.");
    played.playFrom(at);
    player.video.focus();
  }
  return name;
}
