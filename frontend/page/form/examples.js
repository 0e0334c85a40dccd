// What is worth trying, as small buttons below the prompt: the checkpoint's own examples, else the page's.

import { checkpoint } from "../data/checkpoint.js";
import { kind, page, say, starters } from "../data/facts.js";
import { seen } from "../data/store.js";
import { storedSample } from "../media/samples.js";
import { define, useAttributes } from "../parts/element.js";
import { fill } from "../parts/reuse.js";
import { html } from "../vendor/preact.js";

/** Fill an example in; the picture or clip that it needs goes to the server first. */
async function begin({ sample, sample_name: name, ...values }) {
  if (!sample) return fill({ start_image: null, source_video: null, ...values }); // not the last one's picture
  const item = await storedSample(sample === "start_image" ? "image" : "video", name);
  if (!item) return;
  const other = sample === "start_image" ? "source_video" : "start_image";
  fill({ ...values, [other]: null, [sample]: item.id });
}

/** The checkpoint's own for this page; those of clips are for the page of sound where they have one. */
const own = () => (checkpoint.details.examples?.[kind] ?? []).filter(({ values }) => page !== "sound" || values.sound);

function Examples({ element }) {
  const known = seen(checkpoint).details;
  const examples = known ? (own().length ? own() : starters).filter(({ values }) => checkpoint.takes(values)) : [];
  useAttributes(element, { role: "group", "aria-label": say("form.examples"), hidden: !examples.length });
  return html`
    <span>${say("form.examples")}</span>
    ${examples.map(
      ({ title, values }) => html`
        <button type="button" class="o-chip" title=${values.prompt} onClick=${() => begin(values)}>${title}</button>
      `,
    )}
  `;
}

define("o-examples", Examples);
