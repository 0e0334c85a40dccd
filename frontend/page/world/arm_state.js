// Where the arm is, for embodiments whose policy is told.

import { bodies, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { defineField } from "../form/field.js";
import { form } from "../form/values.js";
import { useAttributes } from "../parts/element.js";
import { html, useEffect } from "../vendor/preact.js";

const REST = [0, -0.6, 0, -2.5, 0, 1.9, 0, 1]; // an arm bent over its table, the gripper closed

const restOf = (count) => (count === REST.length ? REST : Array(count).fill(0));

function ArmState({ value: { state }, put, element }) {
  const known = seen(form).values !== null;
  const [, count] = bodies[form.get("embodiment")] ?? [null, 0];
  const fits = (state?.length ?? 0) === count;
  // A state of another embodiment is none of this one's.
  useEffect(() => {
    if (known && !fits) put({ state: count ? restOf(count) : null });
  }, [known, fits, count]);
  useAttributes(element, { hidden: !count });
  if (!count || !fits) return null;
  const set = (index, value) => put({ state: state.with(index, Number(value) || 0) });
  return html`
    <span class="o-line-title">
      <b>${say("state.title")}</b>
      <small>${say("state.help")}</small>
      <button type="button" class="o-link" onClick=${() => put({ state: restOf(count) })}>${say("state.rest")}</button>
    </span>
    <div class="o-state-values">
      ${state.map((value, index) => {
        const last = index === count - 1;
        return html`<label>
          <span>${last ? say("state.gripper") : say("state.joint", { joint: index + 1 })}</span>
          <input
            type="number"
            class="o-select"
            step=${last ? 0.1 : 0.05}
            value=${value}
            onChange=${({ target }) => set(index, target.value)}
          />
        </label>`;
      })}
    </div>
  `;
}

defineField("o-state", ArmState, { state: null });
