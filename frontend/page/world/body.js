// Whose actions they are: the embodiment, and the width of an action where the data set decides it.

import { bodies, embodimentName, say } from "../data/facts.js";
import { defineField } from "../form/field.js";
import { Choice } from "../form/select.js";
import { html } from "../vendor/preact.js";

const WIDTH = 7; // LIBERO's own: six of the pose and the gripper
const OPTIONS = Object.keys(bodies).map((name) => [embodimentName(name), name]);

function Body({ value: { embodiment, action_width: width }, put }) {
  const [own, state] = bodies[embodiment] ?? [];
  const facts = embodiment
    ? [say("body.values", { values: own ?? width }), state && say("body.state", { values: state })]
    : [];
  return html`
    <${Choice}
      label=${say("body.title")}
      help=${say("body.help")}
      path="embodiment"
      options=${OPTIONS}
      value=${embodiment}
      pick=${(name) => put({ embodiment: name, action_width: bodies[name][0] === null ? WIDTH : null })}
    />
    ${
      own === null &&
      html`<label class="o-body-width o-inline">
        <span>${say("body.width")}</span>
        <input
          type="number"
          class="o-select"
          min="1"
          max="1024"
          value=${width ?? WIDTH}
          aria-label=${say("body.width")}
          onChange=${({ target }) => put({ action_width: Math.max(1, Math.round(Number(target.value) || WIDTH)) })}
        />
      </label>`
    }
    <span class="o-media-facts">${facts.filter(Boolean).join(" · ")}</span>
  `;
}

defineField("o-body", Body, { embodiment: null, action_width: null });
