// The form for download settings: concurrency, bandwidth and hours.

import { api, sentence } from "./api.js";
import { check, field } from "./dialogs.js";
import { make, updateText } from "./elements.js";

export function makeSettings() {
  const number = (properties) => make("input", { type: "number", ...properties });
  const assets = number({ min: 1, max: 1000, step: 1, required: true });
  const transfers = number({ min: 1, max: 1000, step: 1, required: true });
  const bandwidth = number({ min: 0, step: "any" });
  const hours = check("Download only during these hours");
  const from = make("input", { type: "time" });
  const to = make("input", { type: "time" });
  const result = make("p", { role: "status" });
  const times = make("div.fields", { hidden: true }, field("From", from), field("To", to));
  const form = make("form", { novalidate: true },
    make("div.fields", {}, field("Simultaneous downloads", assets), field("Transfers per download", transfers),
      field("Bandwidth (MB/s)", bandwidth, "Blank = no limit")),
    hours.label, times, make("div.buttons", {}, make("button.main", { type: "submit" }, "Save")), result);

  const fill = ({ limits, policy, bandwidth: most }) => {
    assets.value = limits.assets;
    transfers.value = limits.transfersPerAsset;
    bandwidth.value = most ? most / 1e6 : "";
    hours.input.checked = Boolean(policy.hours);
    from.value = clock(policy.hours?.start ?? 60);
    to.value = clock(policy.hours?.end ?? 420);
    times.hidden = !hours.input.checked;
  };
  hours.input.addEventListener("change", () => { times.hidden = !hours.input.checked; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    try {
      fill(await api.setDownloadSettings({
        limits: { assets: Number(assets.value), transfersPerAsset: Number(transfers.value) },
        bandwidth: Math.round(Number(bandwidth.value || 0) * 1e6),
        // If start and end are equal, downloads run at any time.
        policy: {
          hours: hours.input.checked ? { start: minutes(from.value), end: minutes(to.value) } : { start: 0, end: 0 },
        },
      }));
      updateText(result, "Saved.");
    } catch (error) {
      updateText(result, sentence(error.message));
    }
  });
  form.addEventListener("input", () => updateText(result, ""));
  api.downloadSettings().then(fill, (error) => updateText(result, sentence(error.message)));
  return make("fieldset.panel", {}, make("legend", {}, "Downloads"), form);
}

const clock = (count) => `${String(Math.floor(count / 60) % 24).padStart(2, "0")}:${String(count % 60).padStart(2, "0")}`;

function minutes(text) {
  const [hour, minute] = text.split(":").map(Number);
  return (hour || 0) * 60 + (minute || 0);
}
