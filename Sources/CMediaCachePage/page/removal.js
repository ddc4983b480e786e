// The removal of assets with their data.

import { api } from "./api.js";
import { confirm } from "./dialogs.js";
import { hostOf } from "./format.js";
import { notify } from "./notices.js";
import { assets, downloads } from "./store.js";
import { isEnded, sizeOf, titleOf } from "./words.js";

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
  const download = record.state && !isEnded(record) ? " and cancels its download" : "";
  return `This deletes the data${size ? ` (${size})` : ""} and the cover from the disk${download}. ${effectOf(record)}`;
}

/** Returns what is removed in addition, and how the data can be restored. */
function effectOf(record) {
  if (record.isRecorded) {
    return "This also removes its channel, if it is still listed, with its programmes and their exports. A deleted recording can’t be restored.";
  }
  if (isImported(record)) return "It can only be restored by importing it again.";
  return `Playing it again requires another download${record.url ? ` from ${hostOf(record.url)}` : ""}.`;
}

/** Returns whether an asset was imported under URLs of a host that doesn't exist. */
export function isImported({ url }) {
  try { return new URL(url).hostname.endsWith(".invalid"); } catch { return false; }
}
