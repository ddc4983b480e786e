// Which events are problems for a person, and what to say of them.

import { api, sentence } from "./api.js";
import { assets, channels, downloads } from "./store.js";
import { report, settle } from "./problems.js";
import { routes } from "./address.js";
import { titleOf } from "./words.js";
import { counted, hostOf, nameOf, words } from "./format.js";

/** Failed requests of one resource are worth a word when they go on. */
const failures = new Map();
const patience = 3;

/** Takes an event. */
export function heed(event) {
  if (event.event === "download.state") ofDownload(event);
  else if (event.event === "resource.failed") ofResource(event);
  else if (event.event === "resource.progress") failures.delete(event.resource);
  else if (event.event === "resource.damaged") {
    report(`damaged ${event.resource}`,
      `Some bytes of ${nameOf(event.resource)} were damaged on the disk. They are fetched again when they’re needed; if it happens again, check the disk.`
    );
  } else if (event.event === "storage.failed") {
    report("storage",
      `The cache folder has a problem: ${sentence(event.message ?? "bytes can’t be kept")} Playing goes on without keeping. Look whether the disk is full or read-only.`,
      { label: "Storage", href: "#/storage" }
    );
  } else if (event.event === "channel.state") ofChannel(event);
  else if (event.event === "channel.gap") ofGap(event);
}

async function ofDownload({ asset, state, reason }) {
  const subject = `download ${asset}`;
  if (state === "complete" || state === "running") return settle(subject);
  if (state !== "failed" && state !== "completeWithHoles") return;
  const title = await titleOfDownload(asset);
  const link = { label: "Downloads", href: routes.downloads };
  if (state === "failed") {
    const advice = reason?.retryable === false ? "Trying again won’t help before that has changed." : "Try again there.";
    report(subject, `“${title}” couldn’t be downloaded: ${sentence(reason?.message ?? "nobody knows why")} ${advice}`, link);
  } else if (state === "completeWithHoles") {
    report(subject, `“${title}” is here, but parts of it couldn’t be had.`, link);
  }
}

/** What was asked for elsewhere may have failed before its record was read. */
async function titleOfDownload(id) {
  const known = downloads.get(id) ?? assets.get(id);
  if (known) return titleOf(known);
  try {
    return titleOf(await api.download(id));
  } catch {
    return "A download";
  }
}

function ofResource({ resource, message }) {
  const count = (failures.get(resource) ?? 0) + 1;
  failures.set(resource, count);
  if (failures.size > 500) failures.delete(failures.keys().next().value);
  if (count < patience) return;
  // Its download or its channel tells of it in its own words.
  if (resource.startsWith("recording/") || isPartOfDownload(resource)) return;
  report(`resource ${hostOf(resource)}`,
    `${nameOf(resource)} can’t be fetched from ${hostOf(resource)}: ${sentence(message ?? "no answer")} What is kept still plays.`
  );
}

function isPartOfDownload(resource) {
  return downloads.all.some(({ url }) => resource.startsWith(url.slice(0, url.lastIndexOf("/") + 1)));
}

function ofChannel({ channel, channelState, message }) {
  const subject = `channel ${channel}`;
  if (channelState === "waiting") {
    report(subject,
      `“${channel}” records nothing at the moment: ${sentence(message ?? "nothing comes")} It goes on by itself when something comes.`,
      { label: "Open it", href: routes.channel(channel) }
    );
  } else settle(subject);
}

function ofGap({ channel, message }) {
  const record = channels.get(channel);
  const sum = record?.gaps ? `: ${counted(record.gaps + 1, "segment")}, ${words(record.gapSeconds)} in all so far` : "";
  report(`gap ${channel}`,
    `“${channel}” has lost something${sum}. ${sentence(message ?? "The origin didn’t have it")}`,
    { label: "Open it", href: routes.channel(channel) }
  );
}
