// Where a thing of the library can go: the places that begin with one like it, and the one that made it.

import { places, say } from "./facts.js";

// A form reads `from` (begin with this) and `use` (restore what made this) from its address.

/** By type, the places that begin with one. */
const BEGIN = {
  image: ["video", "sound", "world", "policy", "ask"],
  video: ["video", "transfer", "inverse", "sound", "ask"],
  actions: ["world"],
};

/** The places that begin with an item; of actions the array is for programs. */
export const beginnings = (item) => (item.mime === "application/x-npy" ? [] : (BEGIN[item.type] ?? []));

const MAKERS = {
  generate_image: "image",
  generate_video: "video",
  transfer_video: "transfer",
  predict_video: "world",
  predict_actions: "inverse",
  run_policy: "policy",
};

const link = (name, verb, id) => `${places[name].path}?${verb}=${encodeURIComponent(id)}`;

/** Places that begin with an item: `{ name, words, help, href }` each. */
export function placesFrom(item) {
  const found = beginnings(item).filter((name) => places[name]);
  return found.map((name) => ({
    name,
    words: say(`send.${name}`),
    help: say(`send_to.${item.type}_${name}`),
    href: link(name, "from", item.id),
  }));
}

/** The address of Refine, asked to begin with what made a result; undefined where the loop makes no such things. */
export function refineFrom(id, request) {
  const refined = request?.kind === "generate_image" || (request?.kind === "generate_video" && request.start_image);
  return refined && places.refine ? link("refine", "use", id) : undefined;
}

/** The address of the form that made an item, asked to restore that; undefined where there is none. */
export function again(item) {
  const name = item.kind === "generate_video" && item.has_sound ? "sound" : MAKERS[item.kind];
  return places[name] && link(name, "use", item.id);
}
