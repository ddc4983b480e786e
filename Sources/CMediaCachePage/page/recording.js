// The controls of a channel's recording: starting, stopping, ending, limits and removal.

import { api } from "./api.js";
import { confirm, field, showDialog } from "./dialogs.js";
import { make } from "./elements.js";
import { bytes, titleFrom } from "./format.js";
import { notify, reportError } from "./notices.js";
import { go } from "./router.js";
import { channels } from "./store.js";
import { isFollowing } from "./words.js";

/** Creates the controls of a channel. @param {AbortSignal} signal stops their updates when aborted */
export function recordingControls(name, signal) {
  const button = (label, act, kind = "quiet") => make(`button.${kind}`, { type: "button", on: { click: act } }, label);
  const start = button("Start", () => setState(name, "recording"));
  const stop = button("Stop", () => setState(name, "stopped"));
  const end = button("End and move to library", () => askToEnd(name));
  const limits = button("Limits", () => askForLimits(name));
  const remove = button("Remove", () => askToRemove(name), "danger");
  const show = () => {
    const record = channels.get(name);
    if (!record) return;
    end.hidden = record.state === "ended";
    showStartOrStop(start, stop, record);
  };
  channels.watch((changed) => { if (changed === null || changed === name) show(); }, signal);
  show();
  return make("fieldset.recording", {}, make("legend", {}, "Recording"), start, stop, end, limits, remove);
}

/** Shows the button that applies to a channel's state. If the other one has the focus, the focus moves. */
export function showStartOrStop(start, stop, record) {
  const isOn = isFollowing(record);
  const hadFocus = [start, stop].includes(document.activeElement);
  start.hidden = isOn || record.state === "ended";
  stop.hidden = !isOn;
  if (hadFocus) (isOn ? stop : start).focus();
}

function askToEnd(name) {
  confirm({
    title: `End the recording of “${name}”?`,
    text: "This moves the recording to the library. It can’t be started again. To interrupt it, choose “Stop” instead.",
    yes: "End the recording",
    act: async () => {
      channels.put(await api.changeChannel(name, { state: "ended" }));
      notify(`Ended “${name}” and moved it to the library.`);
    },
  });
}

function askToRemove(name) {
  const record = channels.get(name);
  const programmes = record.programmes.length ? " with its programmes and their exports" : "";
  confirm({
    title: `Remove “${name}”?`,
    text: record.state === "ended"
      ? `This removes the channel${programmes}. If the recording is in the library, it remains there.`
      : `This deletes the recording (${bytes(record.bytes)})${programmes}. This can’t be undone.`,
    yes: "Remove",
    act: async () => {
      await api.removeChannel(name);
      go("#/channels", true);
      channels.remove(name);
      notify(`Removed “${name}”.`);
    },
  });
}

function askForLimits(name) {
  const retentionForm = retentionFields(channels.get(name).retention);
  showDialog({
    title: `Limits of “${name}”`,
    content: [
      make("p.hint", {}, "Recorded segments beyond the new limits are deleted immediately, except those of programmes."),
      make("div.fields", {}, ...retentionForm.elements)
    ],
    buttons: [{
      label: "Save", kind: "main",
      act: async () => {
        channels.put(await api.changeChannel(name, { retention: retentionForm.retention() }));
        notify("Saved the limits.");
      },
    }, { label: "Cancel" }],
    kind: "narrow",
  });
}

/** Creates the field for the name of a new channel. */
export function channelNameField(value) {
  const pattern = "[A-Za-z0-9_\\-][A-Za-z0-9._\\-]*";
  const input = make("input", { type: "text", required: true, maxlength: 64, pattern, value });
  return { input, label: field("Channel name", input, "Letters A–Z, digits, dots, hyphens and underscores; doesn’t begin with a dot") };
}

/** Creates fields for the age and size limits of a channel. `retention()` returns all limits with these replaced. */
export function retentionFields(retention = { seconds: 86_400 }) {
  const hours = limitInput(retention.seconds, 3600);
  const size = limitInput(retention.bytes, 1e9);
  return {
    elements: [
      field("Keep for (hours)", hours.input, "Blank = forever"),
      field("Maximum size (GB)", size.input, "Blank = no limit"),
    ],
    retention() {
      const bytes = size.limit();
      return { ...retention, seconds: hours.limit(), bytes: bytes && Math.round(bytes) };
    },
  };
}

/**
 * Creates the input for a limit, which the user edits in a larger unit. `limit()` returns the limit, or undefined if
 * there is none. The shown number is rounded, so an unedited limit is returned unchanged.
 */
function limitInput(limit, unit) {
  const shown = limit ? round(limit / unit) : "";
  const input = make("input", { type: "number", min: Math.min(0.01, shown || 0.01), step: "any", value: shown });
  return {
    input,
    limit() {
      if (input.value === String(shown)) return limit;
      return input.value === "" ? undefined : Number(input.value) * unit;
    },
  };
}

/** Rounds a positive number to two decimal places, or to two digits if that would be 0. */
const round = (number) => Math.round(number * 100) / 100 || Number(number.toPrecision(2));

/** Returns an unused channel name, derived from a URL. */
export function channelNameFor(url) {
  const plain = (text) => text.normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+|-+$/g, "").slice(0, 40);
  const stem = plain(titleFrom(url));
  const first = /^[\d.]*$/.test(stem) ? "channel" : stem;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (!channels.get(name)) return name;
  }
}

/** Starts or stops a channel's recording. @param {"recording"|"stopped"} state */
export async function setState(name, state) {
  try {
    channels.put(await api.changeChannel(name, { state }));
    notify(state === "recording" ? `Recording “${name}”.` : `Stopped “${name}”. The recorded part can still be played.`);
  } catch (error) {
    reportError(state === "recording" ? `“${name}” can’t be started` : `“${name}” can’t be stopped`, error);
  }
}
