// The key of the page's address. Any site can link here with a key of its own, so that one is tried before it is kept.

import { below } from "./address.js";
import { keep, keepForNow, key, keyInAddress } from "./key.js";

/**
 * Takes the key behind `#key=`, if the server does.
 *
 * @returns {Promise<"none"|"taken"|"refused">} `none` too where the page has that key already
 */
export async function takeKey() {
  const found = keyInAddress();
  if (!found || found === key()) return "none";
  let response;
  try {
    response = await fetch(below("api/v1/server"), { cache: "no-store", headers: { Authorization: `Bearer ${found}` } });
  } catch {
    // The server doesn't answer, or no header can hold this: a known key stays.
    if (!key()) keepForNow(found);
    return "none";
  }
  if (!response.ok) return "refused";
  keep(found);
  return "taken";
}
