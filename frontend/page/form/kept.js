// What came with a recipe and no other part of the form shows: its adapter, its intervals, another checkpoint. Each can
// be let go.

import { readable, say, titleOf } from "../data/facts.js";
import { seen } from "../data/store.js";
import { useAttributes } from "../parts/element.js";
import { Icon } from "../parts/icons.js";
import { html } from "../vendor/preact.js";
import { defineField } from "./field.js";
import { form } from "./values.js";

const MOST = 60; // characters of a value

function Kept({ value: held, spec: { defaults }, put, element }) {
  const said = seen(form).values
    ? Object.entries(held).filter(([path, value]) => value !== null && !same(value, defaults[path]))
    : [];
  useAttributes(element, { hidden: !said.length, "data-kept": said.map(([path]) => path).join(" ") });
  return html`
    <span class="o-line-title"><b>${say("kept.title")}</b><small>${say("kept.help")}</small></span>
    <div class="o-chip-group" role="group" aria-label=${say("kept.title")}>
      ${said.map(([path, value]) => {
        const name = titleOf(path.split(".").at(-1));
        return html`<button
          key=${path}
          type="button"
          class="o-chip"
          data-path=${path}
          title=${say("kept.drop", { name })}
          onClick=${() => put({ [path]: defaults[path] ?? null })}
        >
          ${say("kept.value", { name, value: shown(value).slice(0, MOST) })}<${Icon} name="close" size="13" />
        </button>`;
      })}
    </div>
  `;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other ?? null);

// Objects are adapters, a name and a scale; intervals are two numbers.
function shown(value) {
  if (Array.isArray(value)) return value.join("–");
  if (typeof value === "object") return Object.values(value).join(" × ");
  return readable(value);
}

defineField("o-kept", Kept, {});
