// Fields for how much of a channel is kept.

import { field } from "./dialogs.js";
import { make } from "./elements.js";
import { titleFrom } from "./format.js";
import { channels } from "./store.js";

/** Fields for limits, and what they say. What they don't tell of `retention` stays. */
export function keepFields(retention) {
  const hours = make("input",
    { type: "number", min: "0.01", step: "any", value: retention.seconds ? round(retention.seconds / 3600) : "" }
  );
  const size = make("input",
    { type: "number", min: "0.01", step: "any", value: retention.bytes ? round(retention.bytes / 1e9) : "" }
  );
  const number = (input) => (input.value === "" ? null : Number(input.value));
  return {
    elements: [
      field("Keep so many hours", hours, "Empty: for ever"),
      field("Keep so many GB", size, "Empty: no limit"),
    ],
    retention() {
      const wanted = { ...retention };
      delete wanted.seconds;
      delete wanted.bytes;
      if (number(hours)) wanted.seconds = number(hours) * 3600;
      if (number(size)) wanted.bytes = Math.round(number(size) * 1e9);
      return wanted;
    },
  };
}

const round = (number) => Math.round(number * 100) / 100;

/** A name for a channel that no other has, out of its URL. */
export function nameFor(url) {
  const plain = (text) => text.normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+|-+$/g, "").slice(0, 40);
  const stem = plain(titleFrom(url));
  const first = /^[\d.]*$/.test(stem) ? "channel" : stem;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (!channels.get(name)) return name;
  }
}
