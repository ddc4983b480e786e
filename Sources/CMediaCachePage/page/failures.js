// Reports events as problems.

import { routes } from "./address.js";
import { api, sentence } from "./api.js";
import { hostOf, nameOf, time, words } from "./format.js";
import { dismissProblem, reportProblem } from "./notices.js";
import { assets, downloads } from "./store.js";
import { titleOf } from "./words.js";

/** The number of consecutive failed requests, by resource. */
const failures = new Map();
/** The number of consecutive failed requests at which a resource is reported. */
const patience = 3;
const maximumResources = 500;
/** The last missing time range of each channel, in milliseconds since 1970. */
const missing = new Map();

/** Reports the failure described by an event, or dismisses the problem that the event resolves. */
export function reportEvent(event) {
  if (event.event === "download.state") reportDownload(event);
  else if (event.event === "resource.failed") reportResource(event);
  else if (event.event === "resource.progress") {
    failures.delete(event.resource);
    // Bytes have been stored.
    dismissProblem("storage");
  } else if (event.event === "resource.damaged") {
    reportProblem(`damaged ${event.resource}`,
      `Part of ${nameOf(event.resource)} was damaged on the disk. It will be downloaded again if possible. If this happens again, check the disk.`
    );
  } else if (event.event === "storage.failed") {
    reportProblem("storage",
      `New data can’t be cached: ${sentence(event.message ?? "unknown error")} Playback continues without caching. Check the limits, and whether the disk is full or read-only.`,
      { label: "Storage", href: "#/storage" });
  } else if (event.event === "catalog.replaced") {
    reportProblem("catalog",
      `${sentence(event.message ?? "the catalog was damaged and has been set aside")} Downloads and recordings remain; other media will be downloaded again when it is played. If this happens again, check the disk.`
    );
  } else if (event.event === "channel.state") reportChannel(event);
  else if (event.event === "channel.gap") reportGap(event);
}

async function reportDownload({ asset, state, reason }) {
  const subject = `download ${asset}`;
  if (state === "complete" || state === "running") return dismissProblem(subject);
  if (state !== "failed" && state !== "completeWithHoles") return;
  const title = await titleOfDownload(asset);
  const link = { label: "Downloads", href: routes.downloads };
  if (state === "failed") {
    const advice = reason?.retryable === false ? "Resolve this before you try again." : "Try again under Downloads.";
    reportProblem(subject,
      `${title} couldn’t be downloaded: ${sentence(reason?.message ?? "unknown error")} ${advice}`, link);
  } else {
    reportProblem(subject, `${title} is incomplete: some segments couldn’t be downloaded.`, link);
  }
}

/** Returns a download's title in quotes. A download added by another client may fail before the page has its record. */
async function titleOfDownload(id) {
  const known = downloads.get(id) ?? assets.get(id);
  if (known) return `“${titleOf(known)}”`;
  try {
    return `“${titleOf(await api.download(id))}”`;
  } catch {
    return "A download";
  }
}

function reportResource({ resource, message }) {
  const count = (failures.get(resource) ?? 0) + 1;
  failures.set(resource, count);
  if (failures.size > maximumResources) failures.delete(failures.keys().next().value);
  if (count < patience) return;
  // Failures of these resources are reported with their download or channel.
  if (resource.startsWith("recording/") || isPartOfDownload(resource)) return;
  reportProblem(`resource ${hostOf(resource)}`,
    `${nameOf(resource)} can’t be fetched from ${hostOf(resource)}: ${sentence(message ?? "no response")} Cached parts still play.`
  );
}

function isPartOfDownload(resource) {
  return downloads.all.some(({ url }) => resource.startsWith(url.slice(0, url.lastIndexOf("/") + 1)));
}

function reportChannel({ channel, channelState, message }) {
  const subject = `channel ${channel}`;
  if (channelState === "waiting") {
    reportProblem(subject,
      `“${channel}” isn’t recording: ${sentence(message ?? "no new segments")} Waiting for the stream to resume.`,
      { label: "Open the channel", href: routes.channel(channel) });
  } else dismissProblem(subject);
}

/** Reports a gap. The segments of one outage have an event each, and are reported as one gap. */
function reportGap({ channel, start, duration, message }) {
  const end = start + duration * 1000;
  const last = missing.get(channel);
  // Tracks differ by up to a segment.
  const isSameGap = last && start <= last.to + duration * 1000 && end >= last.from - duration * 1000;
  const gap = isSameGap ? { from: Math.min(start, last.from), to: Math.max(end, last.to) } : { from: start, to: end };
  missing.set(channel, gap);
  const range = `${time(gap.from)}–${time(gap.to)}`;
  reportProblem(`gap ${channel}`,
    `“${channel}”: ${words((gap.to - gap.from) / 1000)} missing (${range}). ${sentence(message ?? "the origin doesn’t have the segments")}`,
    { label: "Open the channel", href: routes.channel(channel) });
}
