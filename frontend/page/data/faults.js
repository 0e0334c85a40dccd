// What an error says to people. The server's hints are for its API; where one names a route, the page names its button.

import { page, places, say } from "./facts.js";

const ROUTE = /\/v1\//;

/**
 * The first that fits. Hints of other routes have no button to speak of, and are left out.
 *
 * @type {[string, RegExp][]}
 */
const BUTTONS = [
  ["load", /\/v1\/checkpoints\/[^/\s]+\/load/],
  ["pull", /\/v1\/checkpoints\/[^/\s]+\/pull/],
  ["retry", /\/v1\/jobs\/[^/\s]+\/retry/],
  ["media", /POST \/v1\/media/],
  ["jobs", /\/v1\/jobs/],
  ["library", /\/v1\/library/],
  ["presets", /\/v1\/presets/],
];

// The place where such a button is.
const PLACES = { load: "checkpoints", pull: "checkpoints", jobs: "queue", library: "library" };

const buttonIn = (hint) => BUTTONS.find(([, route]) => route.test(hint))?.[0];

/** What to do about it, in the page's words. */
export function hintOf(error) {
  const hint = error?.hint ?? "";
  if (!ROUTE.test(hint)) return hint;
  const name = buttonIn(hint);
  return name ? say(`hints.${name}`) : "";
}

/** Where it is put right, if that is another place: `{ words, href }`, or null. */
export function wayOf(error) {
  if (error?.code === "quota_exceeded") return { words: say("fix.storage"), href: `${places.library.path}#storage` };
  const place = PLACES[buttonIn(error?.hint ?? "")];
  return place && place !== page ? { words: places[place].title, href: places[place].path } : null;
}

/** What is wrong, and what to do about it. */
export const faultWords = (error) => [error?.message, hintOf(error)].filter(Boolean).join(" ");
