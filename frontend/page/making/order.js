// How the job is queued: before others or behind them, and several seeds as jobs of their own. Its value is the
// priority.

import { say } from "../data/facts.js";
import { defineField } from "../form/field.js";
import { form } from "../form/values.js";
import { promptsOf } from "../form/wildcards.js";
import { toast } from "../parts/errors.js";
import { Icon } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { askJson } from "../parts/server.js";
import { html, useRef } from "../vendor/preact.js";
import { selection } from "./selection.js";

const PRIORITIES = ["low", "normal", "high"];
const MOST_SEEDS = 100;

function Order({ value, pick }) {
  const seeds = useRef(null);
  const priority = value ?? "normal";

  // From the seed of the form on: one job each, all or none.
  async function queue(close) {
    const count = Math.min(Math.max(Math.round(Number(seeds.current.value)) || 2, 2), MOST_SEEDS);
    const first = Number(form.values["sampling.seed"]);
    const batch = await askJson("POST", "/v1/batches", {
      request: { ...form.request(), count: 1 },
      axes: {
        prompt: promptsOf(form.get("prompt") ?? ""),
        "sampling.seed": [...Array(count).keys()].map((index) => first + index),
      },
      priority,
    });
    if (!batch) return;
    close();
    selection.ask(batch.jobs.map(({ id }) => id));
    toast(say("order.queued", { count: batch.jobs.length }));
  }

  return html`
    <${Popover}
      label=${say("order.title")}
      class="o-btn o-order"
      title=${say("order.title")}
      aria-label=${say("order.title")}
      data-priority=${priority}
      up=${true}
      face=${html`<${Icon} name="up" />`}
    >
      ${(close) => html`
        <b>${say("order.priority")}</b>
        <div class="o-chip-group" role="group" aria-label=${say("order.priority")}>
          ${PRIORITIES.map(
            (name) => html`
              <button type="button" class="o-chip" aria-pressed=${String(name === priority)} onClick=${() => pick(name)}>
                ${say(`order.${name}`)}
              </button>
            `,
          )}
        </div>
        <b>${say("order.batch")}</b>
        <div class="o-save">
          <input
            ref=${seeds}
            type="number"
            min="2"
            max=${MOST_SEEDS}
            defaultValue="4"
            aria-label=${say("order.seeds")}
          />
          <button type="button" class="o-btn" onClick=${() => queue(close)}>${say("order.queue")}</button>
        </div>
      `}
    <//>
  `;
}

defineField("o-order", Order);
