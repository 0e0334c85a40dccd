// The policy in the world that the model predicts, from the form's start image or from a simulated table.

import { checkpoint } from "../data/checkpoint.js";
import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { form } from "../form/values.js";
import { useImagined } from "../imagining/following.js";
import { RolloutView } from "../imagining/rollout_view.js";
import { define } from "../parts/element.js";
import { NumberField } from "../parts/number_field.js";
import { html, useSignal } from "../vendor/preact.js";
import { imaginedStart, isSimulated } from "./imagined.js";

const MOST_CHUNKS = 16;
const GROUP = 4;

function Rollout() {
  seen(form);
  seen(checkpoint); // whose images may be those of the simulated table
  const { found, running, begin, cancel } = useImagined("/v1/rollouts", "orrery.rollout");
  const chunks = useSignal(4);
  const horizon = useSignal(16);
  const fromTable = useSignal(false);
  const table = useSignal(1);
  const image = form.get("start_image");
  const simulated = isSimulated() && fromTable.value;
  const start = () =>
    begin({
      ...imaginedStart(),
      num_chunks: chunks.value,
      horizon: Math.min(horizon.value, form.get("num_actions") ?? horizon.value),
      ...(simulated ? { table: table.value } : { start_image: image, state: form.get("state") ?? null }),
    });
  const number = (signal, words, { least, most, step = 1 }) => html`
    <label class="o-inline">
      ${words}
      <${NumberField}
        min=${least}
        max=${most}
        step=${step}
        value=${signal.value}
        take=${(text) => {
          const asked = Math.round((Number(text) || least) / step) * step;
          signal.value = Math.min(Math.max(asked, least), most);
        }}
      />
    </label>
  `;
  return html`
    <section class="o-imagine" aria-label=${say("rollout.title")}>
      <span class="o-line-title"><b>${say("rollout.title")}</b><small>${say("rollout.help")}</small></span>
      <div class="o-imagine-form">
        ${number(chunks, say("rollout.chunks"), { least: 1, most: MOST_CHUNKS })}
        ${number(horizon, say("rollout.horizon"), { least: GROUP, most: 396, step: GROUP })}
        ${
          isSimulated() &&
          html`<div class="o-chip-group" role="radiogroup" aria-label=${say("rollout.from")}>
            ${[false, true].map(
              (one) => html`<button
                type="button"
                class="o-chip"
                role="radio"
                data-from=${one ? "table" : "image"}
                aria-checked=${String(one === fromTable.value)}
                onClick=${() => (fromTable.value = one)}
              >
                ${say(one ? "rollout.from_table" : "rollout.from_image")}
              </button>`,
            )}
          </div>`
        }
        ${simulated && number(table, say("rollout.table"), { least: 0, most: 2 ** 31 - 1 })}
        ${
          running
            ? html`<button key="cancel" type="button" class="o-btn" data-do="rollout-cancel" onClick=${cancel}>
                ${say("rollout.cancel")}
              </button>`
            : html`<button
                key="begin"
                type="button"
                class="o-btn"
                data-do="rollout"
                disabled=${!form.get("prompt") || !(simulated || image)}
                onClick=${start}
              >
                ${say("rollout.start")}
              </button>`
        }
      </div>
      ${found && html`<${RolloutView} rollout=${found} />`}
    </section>
  `;
}

define("o-rollout", Rollout);
