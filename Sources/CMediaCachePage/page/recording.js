// What is wanted of a channel's recording: that it goes on, rests, ends; how much is kept.

import { api } from "./api.js";
import { confirm, showDialog } from "./dialogs.js";
import { make } from "./elements.js";
import { keepFields } from "./keeping.js";
import { notify } from "./notices.js";
import { go } from "./router.js";
import { setState } from "./channels.js";
import { channels } from "./store.js";
import { bytes } from "./format.js";

/** Buttons for a channel. */
export function recordingControls(name, signal) {
  const button = (label, act, kind = "quiet") => make(`button.${kind}`, { type: "button", on: { click: act } }, label);
  const start = button("Start", () => setState(name, "recording"));
  const stop = button("Stop", () => setState(name, "stopped"));
  const end = button("End", () => askToEnd(name));
  const limits = button("Limits", () => askForLimits(name));
  const remove = button("Remove", () => askToRemove(name), "danger");
  const show = () => {
    const record = channels.get(name);
    if (!record) return;
    const isOn = ["recording", "starting", "waiting"].includes(record.state);
    const hadFocus = [start, stop].includes(document.activeElement);
    start.hidden = isOn || record.state === "ended";
    stop.hidden = !isOn;
    end.hidden = record.state === "ended";
    if (hadFocus) [start, stop].find((one) => !one.hidden)?.focus();
  };
  channels.watch((changed) => { if (changed === null || changed === name) show(); }, signal);
  show();
  return make("fieldset.recording", {}, make("legend", {}, "Recording"), start, stop, end, limits, remove);
}

function askToEnd(name) {
  return confirm({
    title: `End “${name}”?`,
    text: "The recording is over then, and becomes an asset of the library: it can’t be started again. To rest it for a while, stop it.",
    yes: "End",
    act: async () => {
      channels.put(await api.changeChannel(name, { state: "ended" }));
      notify(`“${name}” has ended, and is in the library.`);
    },
  });
}

function askToRemove(name) {
  const record = channels.get(name);
  const programmes = record.programmes.length ? ", its programmes and what they were exported as" : "";
  return confirm({
    title: `Remove “${name}”?`,
    text: `${bytes(record.bytes)} of recording${programmes} will be gone from the disk. Nobody can bring them back: the stream has gone on.`,
    yes: "Remove",
    act: async () => {
      await api.removeChannel(name);
      go("#/channels", true);
      channels.remove(name);
      notify(`“${name}” is removed.`);
    },
  });
}

function askForLimits(name) {
  const keeping = keepFields(channels.get(name).retention);
  showDialog({
    title: `Limits of ${name}`,
    content: [
      make("p.hint", {}, "What is older or too much goes at once, but for programmes."),
      make("div.fields", {}, ...keeping.elements)
    ],
    buttons: [{
      label: "Save", kind: "main",
      act: async () => {
        channels.put(await api.changeChannel(name, { retention: keeping.retention() }));
        notify("The limits are changed.");
      },
    }, { label: "Cancel" }],
    kind: "narrow",
  });
}
