// How a fan branches: by seeds, or by instructions.

import { say } from "../data/facts.js";
import { NumberField } from "../parts/number_field.js";
import { html, useSignal } from "../vendor/preact.js";

const [LEAST, MOST] = [2, 8];
const WAYS = ["seeds", "instructions"];

/** `begin(fields)` gets what differs between the branches; `disabled` says that it cannot be asked now. */
export function FanForm({ running, disabled, begin, cancel }) {
  const way = useSignal("seeds");
  const count = useSignal(4);
  const words = useSignal("");
  const lines = words.value
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, MOST);
  const bySeeds = way.value === "seeds";
  const fields = bySeeds ? { num_seeds: count.value } : { instructions: lines };
  return html`
    <div class="o-imagine-form">
      <div class="o-chip-group" role="radiogroup" aria-label=${say("fan.by")}>
        ${WAYS.map(
          (one) => html`<button
            type="button"
            class="o-chip"
            role="radio"
            data-way=${one}
            aria-checked=${String(one === way.value)}
            onClick=${() => (way.value = one)}
          >
            ${say(`fan.by_${one}`)}
          </button>`,
        )}
      </div>
      ${
        bySeeds
          ? html`<label class="o-inline">
              ${say("fan.count", { most: MOST })}
              <${NumberField}
                min=${LEAST}
                max=${MOST}
                value=${count.value}
                take=${(text) => (count.value = Math.min(Math.max(Math.round(Number(text)) || 4, LEAST), MOST))}
              />
            </label>`
          : html`<textarea
              class="o-select"
              rows="3"
              aria-label=${say("fan.instructions")}
              placeholder=${say("fan.instructions_empty")}
              value=${words.value}
              onInput=${({ target }) => (words.value = target.value)}
            />`
      }
      ${
        running
          ? html`<button key="cancel" type="button" class="o-btn" data-do="fan-cancel" onClick=${cancel}>
              ${say("fan.cancel")}
            </button>`
          : html`<button
              key="begin"
              type="button"
              class="o-btn"
              data-do="fan"
              disabled=${disabled || (!bySeeds && lines.length < LEAST)}
              onClick=${() => begin(fields)}
            >
              ${say("fan.start")}
            </button>`
      }
    </div>
  `;
}
