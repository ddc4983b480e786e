// The removal of assets with their data.

import { api } from "./api.js";
import { confirm } from "./dialogs.js";
import { hostOf } from "./format.js";
import { notify } from "./notices.js";
import { assets, downloads } from "./store.js";
import { sizeOf, titleOf } from "./words.js";

/** Removes an asset and its data. */
export async function remove(id) {
  await api.removeAsset(id);
  assets.remove(id);
  downloads.remove(id);
}

/** Asks whether to remove an asset and its data. */
export function removeAsset(id) {
  const record = assets.get(id) ?? downloads.get(id);
  const title = titleOf(record);
  confirm({
    title: `Remove “${title}”?`,
    text: removalText(record),
    yes: "Remove",
    act: async () => {
      await remove(id);
      notify(`Removed “${title}”.`);
    },
  });
}

function removalText(record) {
  const size = sizeOf(record);
  const download = record.state && record.state !== "complete" ? " and cancels its download" : "";
  const source = record.url ? ` from ${hostOf(record.url)}` : "";
  const isStreamWithoutDownload = !record.state && record.kind === "stream";
  const effect = isStreamWithoutDownload && record.duration
    ? "A deleted recording can’t be restored." : `Playing it again requires another download${source}.`;
  return `This deletes the data${size ? ` (${size})` : ""} and the cover from the disk${download}. ${effect}`;
}
