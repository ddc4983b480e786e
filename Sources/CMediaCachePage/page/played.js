// What players have played through the cache, and isn't in the library.

import { agree } from "./agreement.js";
import { api } from "./api.js";
import { routes } from "./address.js";
import { confirm } from "./dialogs.js";
import { arrange, atMostEvery, make, mark, say } from "./elements.js";
import { ago, bytes, counted, hostOf, titleFrom } from "./format.js";
import { icon } from "./icons.js";
import { makeBar, shareKept } from "./keptbar.js";
import { notify } from "./notices.js";
import { reportError } from "./problems.js";
import { assets, onEvent } from "./store.js";

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
      const found = await api.played();
      if (signal.aborted) return;
      known = new Map(found.map((one) => [String(one.id), one]));
      arrange(list, rows, [...known.keys()], (id) => build(known.get(id), signal, read));
      for (const [id, row] of rows) show(row, known.get(id));
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

/** Parts of a stream without its playlist: nothing plays them. */
const isLoose = ({ kind }) => kind === "parts";

function build(one, signal, read) {
  const title = isLoose(one) ? `Parts of a live stream at ${hostOf(one.url)}` : titleFrom(one.url);
  const bar = makeBar({ slim: true, signal });
  const row = make("li.row", {},
    make("div.row-body", {},
      make("div.row-head", {}, make("h2", {}, title),
        !isLoose(one) && make("a.link",
          { href: routes.url(one.url), "aria-label": `Play ${title}`, on: { click: () => agree(one.url) } }, icon("play"), make("span", {}, "Play")
        )
      ),
      bar.element, make("p.row-state"), make("p.address", {}, one.url)),
    make("div.row-actions", {},
      !isLoose(one) && make("button.quiet.small",
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

function show(row, one) {
  bars.get(row).element.hidden = isLoose(one);
  const picture = one.kind === "stream"
    ? { total: one.segments, spans: one.segmentsKept ? [{ start: 0, end: one.segmentsKept }] : [], fetching: [] }
    : { total: one.length ?? 0, spans: one.spans, fetching: one.fills };
  bars.get(row).show(picture);
  const whole = wholeOf(one, picture);
  const size = [bytes(one.bytes), one.kind === "file" && whole].filter(Boolean).join(" ");
  say(
    row.querySelector(".row-state"),
    [
      size, one.kind !== "file" && whole, `played ${ago(Date.parse(one.lastUsed))}`, one.inUse && "in use"
    ].filter(Boolean).join(" · ")
  );
  mark(row, "data-id", String(one.id));
}

/** Of how much that is: of segments, or of bytes where some are missing. */
function wholeOf(one, picture) {
  if (isLoose(one)) return counted(one.count, "segment");
  if (one.kind === "stream") return one.segments ? `${one.segmentsKept} of ${counted(one.segments, "segment")}` : null;
  return shareKept(picture) < 1 && one.length ? `of ${bytes(one.length)}` : null;
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
      await api.removePlayed(one.id);
      notify(`“${title}” is removed.`);
      read();
    },
  });
}
