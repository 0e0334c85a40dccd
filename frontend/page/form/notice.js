// What is to be known about the checkpoint before pressing Generate: not ready yet, not loaded, never trained, or
// trained on little.

import { checkpoint } from "../data/checkpoint.js";
import { kind, places, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { define, useAttributes } from "../parts/element.js";
import { html } from "../vendor/preact.js";

function Notice({ element }) {
  seen(live);
  const loaded = seen(checkpoint).status;
  const [tone, lead, rest] = (loaded && wordsOf(loaded)) ?? [];
  useAttributes(element, { role: "status", hidden: !tone, "data-tone": tone });
  const { path, title } = places.checkpoints;
  return html`<b>${lead}</b>${" "}<span>${rest}</span>${" "}${tone === "bad" && html`<a href=${path}>${title}</a>`}`;
}

/** [tone, lead, rest], or nothing where all is well. */
function wordsOf({ id, state, title, error, random_weights: random }) {
  const own = checkpoint.details?.id === id ? checkpoint.details : null; // the last one's stay until the server has answered
  if (state === "failed") return ["bad", say("notice.failed", { title }), faultWords(error)];
  const refused = checkpoint.refusal("kind", kind);
  if (refused) return ["bad", refused, say("notice.elsewhere")];
  if (state !== "ready") return ["wait", "", say(`notice.${state}`, { title })];
  if (random || own?.simulated) return ["quiet", "", own?.summary || say("notice.random", { title })];
  return null;
}

define("o-notice", Notice);
