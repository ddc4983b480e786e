// What players have played through the cache, and isn't in the library.

import { api } from "./api.js";
import { routes } from "./address.js";
import { confirm } from "./dialogs.js";
import { arrange, atMostEvery, make, mark, say } from "./elements.js";
import { families } from "./families.js";
import { ago, bytes, counted, titleFrom } from "./format.js";
import { icon } from "./icons.js";
import { makeBar, shareKept } from "./keptbar.js";
import { notify } from "./notices.js";
import { reportError } from "./problems.js";
import { assets, channels, onEvent } from "./store.js";

/** Shows the list. It's read again when something of it has changed, every other second at most. */
export function playedView({ main, signal }) {
  const sum = make("p.hint");
  const list = make("ul.rows", { "aria-label": "Played", role: "list" });
  const empty = make("div.empty", { hidden: true }, make("h2", {}, "Nothing was played through yet"),
    make("p", {}, "Give a player the URL that ",
      make("code", {}, "mediacache url"),
      " prints, or choose “Play now” when you add something: what was played stands here, as far as it is kept."
    ));
  const rows = new Map();
  let known = new Map();
  main.append(make("header.view-head", {}, make("h1", {}, "Played")), sum, list, empty);

  const read = atMostEvery(2000, async () => {
    if (signal.aborted) return;
    try {
      const owned = [...assets.all, ...channels.all].map(({ url }) => url);
      const found = families(await api.resources(), owned);
      if (signal.aborted) return;
      known = new Map(found.map((one) => [one.id, one]));
      arrange(list, rows, [...known.keys()], (id) => build(known.get(id), signal, read));
      for (const [id, row] of rows) show(row, known.get(id), signal);
      say(sum,
        found.length ? `${counted(found.length, "title")}, ${bytes(found.reduce((total, one) => total + one.bytes, 0))}` : ""
      );
      empty.hidden = found.length > 0;
    } catch (error) {
      reportError("What was played can’t be read", error);
    }
  });
  onEvent((event) => {
    if (!event.event.startsWith("resource.") || event.resource?.startsWith("recording/")) return;
    read();
  }, signal);
  let count = assets.records.size;
  assets.watch(() => {
    if (assets.records.size === count) return;
    count = assets.records.size;
    read();
  }, signal);
  read();
  return "Played";
}

const bars = new WeakMap();

function hostOf(url) {
  try { return new URL(url).host; } catch { return "its origin"; }
}

function build(one, signal, read) {
  const title = one.isLoose ? `Parts of a live stream at ${hostOf(one.url)}` : titleFrom(one.url);
  const bar = makeBar({ slim: true, signal });
  const row = make("li.row", {},
    make("div.row-body", {},
      make("div.row-head", {}, make("h2", {}, title),
        !one.isLoose && make("a.link",
          { href: routes.url(one.url), "aria-label": `Play ${title}` }, icon("play"), make("span", {}, "Play")
        )
      ),
      bar.element, make("p.row-state"), make("p.address", {}, one.url)),
    make("div.row-actions", {},
      !one.isLoose && make("button.quiet.small",
        { type: "button", "aria-label": `Make an asset of ${title}`, on: { click: () => adopt(one, read) } },
        "Make an asset"
      ),
      make("button.quiet.small",
        { type: "button", "aria-label": `Remove ${title}`, on: { click: () => remove(one, read) } },
        "Remove"
      )));
  bars.set(row, bar);
  return row;
}

/** What was said last of how much of each stream is kept, and when it was used then. */
const streams = new Map();

function show(row, one, signal) {
  const isStream = one.main.format === "m3u8";
  const known = streams.get(one.url);
  if (isStream && known?.at !== one.bytes) readStream(row, one, signal);
  bars.get(row).element.hidden = one.isLoose;
  const picture = isStream ? ofStream(known) : {
    total: one.main.length ?? 0, spans: one.main.spans, fetching: one.main.fills ?? []
  };
  bars.get(row).show(picture);
  const whole = wholeOf(one, known, picture);
  const size = [bytes(one.bytes), !isStream && !one.isLoose && whole].filter(Boolean).join(" ");
  say(
    row.querySelector(".row-state"),
    [
      size, (isStream || one.isLoose) && whole, `played ${ago(Date.parse(one.lastUsed))}`, one.main.inUse && "in use"
    ].filter(Boolean).join(" · ")
  );
  mark(row, "data-id", one.id);
}

/** Of how much that is: of segments, or of bytes where some are missing. */
function wholeOf(one, known, picture) {
  if (one.isLoose) return counted(one.parts.length + 1, "segment");
  if (one.main.format === "m3u8") return known && `${known.kept} of ${counted(known.all, "segment")}`;
  return shareKept(picture) < 1 && one.main.length ? `of ${bytes(one.main.length)}` : null;
}

const ofStream = (known) => ({
  total: known?.all ?? 0,
  spans: known?.kept ? [{ start: 0, end: known.kept }] : [], fetching: []
});

/** Of a stream the server knows how many segments its playlist names. Of its variants that counts of which most is here. */
async function readStream(row, one, signal) {
  streams.set(one.url, { kept: 0, all: 0, ...streams.get(one.url), at: one.bytes });
  try {
    const { stream } = await api.resourceOf(one.url);
    const playlists = (stream?.playlists ?? []).filter(({ segments }) => segments > 0);
    const most = playlists.sort((first, second) => second.segmentsKept - first.segmentsKept)[0];
    streams.set(one.url, { kept: most?.segmentsKept ?? 0, all: most?.segments ?? 0, at: one.bytes });
    if (!signal.aborted && row.isConnected) show(row, one, signal);
  } catch { /* it says nothing of it then */ }
}

async function adopt(one, read) {
  try {
    const asset = await api.addAsset(one.url);
    assets.put(asset);
    notify(`“${titleFrom(one.url)}” is in the library.`);
    read();
  } catch (error) {
    reportError("It can’t be made an asset", error);
  }
}

function remove(one, read) {
  const title = titleFrom(one.url);
  return confirm({
    title: `Remove “${title}”?`,
    text: `${bytes(one.bytes)} will be gone from the disk, and fetched again when somebody plays it. What is being played goes when its last reader leaves.`,
    yes: "Remove",
    act: async () => {
      for (const { id } of [one.main, ...one.parts]) await api.removeResource(id);
      notify(`“${title}” is removed.`);
      read();
    },
  });
}
