// What people read for the fields that contests are named by.

import { say } from "../data/facts.js";

const NAMED = {
  checkpoint: () => say("field.checkpoint"),
  reasoner: () => say("field.reasoner"),
  adapter: () => say("field.adapter"),
  upsample: () => say("field.upsample"),
};

/** "sampling.guidance_scale" is "guidance scale". */
export function fieldName(contest) {
  return (
    NAMED[contest]?.() ??
    contest
      .replace(/^sampling\./, "")
      .replaceAll("_", " ")
      .replaceAll(".", " ")
  );
}

/** A percentage as read. */
export const percent = (share) => `${Math.round(100 * share)} %`;
