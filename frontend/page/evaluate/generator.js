// What a run has beside its checkpoint: an adapter, and of a benchmark of requests how many steps.

import { say } from "../data/facts.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { useAnswer } from "../parts/server.js";
import { html } from "../vendor/preact.js";

export function AdapterField({ adapter, onAdapter }) {
  const { tuning_revision: revision } = seen(live).state.system; // a save that is kept is an adapter
  const adapters = useAnswer("/v1/adapters", `adapters ${revision}`)?.adapters ?? [];
  if (!adapters.length) return null;
  return html`
    <label>
      <span>${say("evaluate.adapter")}</span>
      <select class="o-select" name="adapter" value=${adapter} onChange=${onAdapter}>
        <option value="">${say("evaluate.no_adapter")}</option>
        ${adapters.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
    </label>
  `;
}

/** The fields of a run's settings that only generators have; `own` are the benchmark's. */
export function generatorSettings({ steps }, own) {
  if (!steps) return {};
  const request = own.request ?? {};
  return { request: { ...request, sampling: { ...request.sampling, num_inference_steps: Number(steps) } } };
}
