// What is to be known about the checkpoint before pressing Generate: not ready yet, not loaded; as a badge, that it was
// never trained, or on little.

import { checkpoint } from "../data/checkpoint.js";
import { kind, places, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { define, useAttributes } from "../parts/element.js";
import { Icon } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { html } from "../vendor/preact.js";

function Notice({ element }) {
  seen(live);
  const loaded = seen(checkpoint).status;
  const [tone, lead, rest] = (loaded && wordsOf(loaded)) ?? [];
  const isBadge = tone === "quiet";
  useAttributes(element, { role: isBadge ? null : "status", hidden: !tone, "data-tone": tone });
  const { path, title } = places.checkpoints;
  if (isBadge)
    return html`
      <${Popover} label=${lead} class="o-caveat" data-do="caveat" face=${html`${lead}<${Icon} name="down" size="12" />`}>
        ${() => html`<p>${rest}</p><a class="o-row" href=${path}>${say("header.all_checkpoints")}</a>`}
      <//>
    `;
  return html`<b>${lead}</b>${" "}<span>${rest}</span>${" "}${tone === "bad" && html`<a href=${path}>${title}</a>`}`;
}

/** [tone, lead, rest], or nothing where all is well. */
function wordsOf({ id, state, title, error, random_weights: random }) {
  const own = checkpoint.details?.id === id ? checkpoint.details : null; // the last one's stay until the server has answered
  if (state === "failed") return ["bad", say("notice.failed", { title }), faultWords(error)];
  const refused = checkpoint.refusal("kind", kind);
  if (refused) return ["bad", refused, say("notice.elsewhere")];
  if (state !== "ready") return ["wait", "", say(`notice.${state}`, { title })];
  const words = own?.summary || say("notice.random", { title });
  if (random || own?.simulated) return ["quiet", say(random ? "notice.noise" : "notice.demo"), words];
  return null;
}

define("o-notice", Notice);
