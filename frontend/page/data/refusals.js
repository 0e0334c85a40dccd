// What the checkpoint of this page does not make, and what is said of it where a way leads there.

import { checkpoint } from "./checkpoint.js";
import { pages, say } from "./facts.js";

/** Why it makes no such thing; empty where it does, and where nothing is known of it. */
export function refusalOf(kind, sound) {
  const { id, title, capabilities } = checkpoint.details ?? {};
  if (!id || id !== checkpoint.id) return "";
  if (kind && !capabilities.kinds.includes(kind)) return say("send_to.no_kind", { title });
  return sound && !capabilities.sound ? say("send_to.no_sound", { title }) : "";
}

/** Of a place with a form; the others ask for themselves. */
export const refusalAt = (name) => refusalOf(pages[name]?.[1], name === "sound");
