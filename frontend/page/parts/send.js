// Where a thing of the library can go: the places that begin with one like it, and the one that made it.

import { hasWords, pages, places } from "../data/facts.js";
import { fieldFor } from "../data/kinds.js";

// A form reads `from` (begin with this) and `use` (restore what made this) from its address.

const SEEN = ["image", "video"];

/** The places that begin with an item: forms that take its type, and the assistant. Of actions the array is for programs. */
export function beginnings({ mime, type }) {
  if (mime === "application/x-npy") return [];
  const forms = Object.keys(pages).filter(
    (name) => fieldFor(pages[name][1], type) && hasWords(`send_to.${type}_${name}`),
  );
  return SEEN.includes(type) ? [...forms, "ask"] : forms;
}

/** The page with the form of a kind; clips with sound have one of their own. */
export function makerOf(kind, sound) {
  const homes = Object.keys(pages).filter((name) => pages[name][1] === kind);
  return sound && homes.includes("sound") ? "sound" : homes[0];
}

const link = (name, verb, id) => `${places[name].path}?${verb}=${encodeURIComponent(id)}`;

/** The address of Refine, asked to begin with what made a result; undefined where the loop makes no such things. */
export function refineFrom(id, request) {
  const refined = request?.kind === "generate_image" || (request?.kind === "generate_video" && request.start_image);
  return refined && places.refine ? link("refine", "use", id) : undefined;
}

/** The address of the form that made an item, asked to restore that; undefined where there is none. */
export function again(item) {
  const name = makerOf(item.kind, item.has_sound);
  return places[name] && link(name, "use", item.id);
}
