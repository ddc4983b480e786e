// The settings view: the limits of the cache, bandwidth, and downloads.

import { api, sentence } from "./api.js";
import { check, field } from "./dialogs.js";
import { make, updateText } from "./elements.js";
import { bytes } from "./format.js";

const [gigabyte, megabyte, day] = [1e9, 1e6, 86_400];

/** The limits of the cache and of bandwidth: label, hint, place in the API's settings, and unit. */
const cacheAmounts = [
  {
    legend: "Storage",
    fields: [
      ["Maximum size (GB)", "Includes downloads and recordings. Blank = no limit", ["limits", "maximumBytes"], gigabyte],
      ["Minimum free disk space (GB)", "Blank = none", ["limits", "minimumFreeBytes"], gigabyte],
      ["Remove after days without use", "Only played media. Blank = never", ["limits", "maximumAge"], day],
    ],
  },
  {
    legend: "Bandwidth (MB/s)",
    fields: [
      ["All transfers", "Blank = no limit", ["bandwidth", "total"], megabyte],
      ["Playback", null, ["bandwidth", "playback"], megabyte],
      ["Recordings", null, ["bandwidth", "recording"], megabyte],
      ["Preloads", null, ["bandwidth", "preload"], megabyte],
    ],
  },
];

export function settingsView({ main, signal }) {
  const result = make("p", { role: "status" });
  const [cache, downloads] = [makeCacheFields(), makeDownloadFields()];
  const form = make("form.settings", { novalidate: true },
    ...cache.elements, downloads.element,
    make("div.buttons", {}, make("button.main", { type: "submit" }, "Save")), result);
  const fail = (error) => updateText(result, sentence(error.message));
  /** The number of times the settings have been saved. */
  let saves = 0;

  /** Sends the changed values of a group, and shows the settings in the response. */
  const save = async (group, send) => {
    const update = group.changes();
    if (Object.keys(update).length) group.show(await send(update));
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    downloads.check();
    if (!form.reportValidity()) return;
    saves += 1;
    try {
      const limit = cache.changes().limits?.maximumBytes;
      await save(cache, api.setCacheSettings);
      await save(downloads, api.setDownloadSettings);
      const note = limit ? await noteOnLimit(limit).catch(() => "") : "";
      updateText(result, ["Saved.", note].filter(Boolean).join(" "));
    } catch (error) {
      fail(error);
    }
  });
  form.addEventListener("input", () => updateText(result, ""));
  main.append(make("header.view-head", {}, make("h1", {}, "Settings")), form);
  /** Shows the current settings, unless the user has changed some of those shown. */
  const read = async () => {
    const own = saves;
    try {
      const [limits, settings] = await Promise.all([api.cacheSettings(), api.downloadSettings()]);
      const isChanged = [cache, downloads].some((group) => Object.keys(group.changes()).length);
      if (signal.aborted || own !== saves || (isChanged && !form.inert)) return;
      if (form.inert) updateText(result, "");
      cache.show(limits);
      downloads.show(settings);
      form.inert = false;
    } catch (error) {
      fail(error);
    }
  };
  // Nothing can be changed before the current settings are shown.
  form.inert = true;
  read();
  // The command or another page may have changed the settings in the meantime.
  addEventListener("focus", read, { signal });
  return "Settings";
}

/** Explains a limit of the cache below its current size. */
async function noteOnLimit(limit) {
  const { usage } = await api.storage();
  if (usage.bytes <= limit) return "";
  return `The cache contains ${bytes(usage.bytes)}, which is more than this limit. Downloads and recordings fill it, so new downloads wait or fail, and playback isn’t cached.`;
}

const numberInput = (properties) => make("input", { type: "number", min: 0, step: "any", ...properties });

/** Returns an amount as shown in a field, in a unit and with at most six digits; an empty string for none. */
const shown = (amount, unit) => (amount ? String(Number((amount / unit).toPrecision(6))) : "");

/** The limits of the cache and of bandwidth. */
function makeCacheFields() {
  const inputs = [];
  const elements = cacheAmounts.map(({ legend, fields }) => make("fieldset.panel", {}, make("legend", {}, legend),
    make("div.fields", {}, ...fields.map(([label, hint, place, unit]) => {
      const input = numberInput();
      inputs.push({ input, place, unit, text: "" });
      return field(label, input, hint);
    }))));
  return {
    elements,
    show(settings) {
      for (const item of inputs) {
        const [group, name] = item.place;
        item.text = shown(settings[group][name], item.unit);
        item.input.value = item.text;
      }
    },
    /** Returns the changed amounts. An amount of 0 is no limit. */
    changes() {
      const update = {};
      for (const { input, place: [group, name], unit, text } of inputs) {
        if (input.value === text) continue;
        update[group] ??= {};
        update[group][name] = Math.round(Number(input.value || 0) * unit);
      }
      return update;
    },
  };
}

/** The limits, the bandwidth, the hours and the conditions of downloads. */
function makeDownloadFields() {
  const count = () => numberInput({ min: 1, max: 1000, step: 1, required: true });
  const [assets, transfers, bandwidth, reserve] = [count(), count(), numberInput(), numberInput()];
  const hours = check("Only during these hours");
  const conditions = {
    onlyUnmetered: check("Only on networks that aren’t metered"),
    onlyCharging: check("Only while charging"),
    sparesPower: check("Not in low power mode, and not while the device is hot"),
  };
  const [from, to] = [make("input", { type: "time" }), make("input", { type: "time" })];
  const times = make("div.fields", { hidden: true }, field("From", from), field("To", to));
  hours.input.addEventListener("change", () => { times.hidden = !hours.input.checked; });
  const element = make("fieldset.panel", {}, make("legend", {}, "Downloads"),
    make("div.fields", {},
      field("Simultaneous downloads", assets), field("Transfers per download", transfers),
      field("Bandwidth of downloads (MB/s)", bandwidth, "Blank = no limit"),
      field("Additional free disk space (GB)", reserve, "Downloads leave this free in addition to the minimum")),
    ...Object.values(conditions).map(({ label }) => label), hours.label, times);

  const values = () => ({
    limits: { assets: Number(assets.value), transfersPerAsset: Number(transfers.value) },
    bandwidth: Math.round(Number(bandwidth.value || 0) * megabyte),
    policy: {
      ...Object.fromEntries(Object.entries(conditions).map(([name, { input }]) => [name, input.checked])),
      freeSpaceReserve: Math.round(Number(reserve.value || 0) * gigabyte),
      // If start and end are equal, downloads run at any time.
      hours: hours.input.checked ? { start: minutes(from.value), end: minutes(to.value) } : { start: 0, end: 0 },
    },
  });
  let known = values();
  return {
    element,
    show({ limits, policy, bandwidth: most }) {
      assets.value = limits.assets;
      transfers.value = limits.transfersPerAsset;
      bandwidth.value = shown(most, megabyte);
      reserve.value = shown(policy.freeSpaceReserve, gigabyte);
      for (const [name, { input }] of Object.entries(conditions)) input.checked = policy[name];
      hours.input.checked = Boolean(policy.hours);
      from.value = clock(policy.hours?.start ?? 60);
      to.value = clock(policy.hours?.end ?? 420);
      times.hidden = !hours.input.checked;
      known = values();
    },
    changes: () => changed(known, values()),
    /** Marks hours without a duration as invalid. */
    check: () => to.setCustomValidity(hours.input.checked && from.value === to.value ? "Choose a different time." : ""),
  };
}

/** Returns the values that differ, in the same groups. A group with different hours contains both times. */
function changed(before, after) {
  const update = {};
  for (const [name, value] of Object.entries(after)) {
    if (JSON.stringify(value) === JSON.stringify(before[name])) continue;
    update[name] = typeof value === "object" && name !== "hours" ? changed(before[name], value) : value;
  }
  return update;
}

const clock = (count) => `${String(Math.floor(count / 60) % 24).padStart(2, "0")}:${String(count % 60).padStart(2, "0")}`;

function minutes(text) {
  const [hour, minute] = text.split(":").map(Number);
  return (hour || 0) * 60 + (minute || 0);
}
