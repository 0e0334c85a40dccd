// A choice among many: the browser's own list, with the refused ones greyed and the reason beside them.

import { checkpoint } from "../data/checkpoint.js";
import { seen } from "../data/store.js";
import { html, useState } from "../vendor/preact.js";
import { defineField } from "./field.js";

let count = 0;

/** A list with a title: `options` are [shown, value]; `path` is the field by which refusals are looked up. */
export function Choice({ label, help = "", path, options, value, pick }) {
  const [id] = useState(() => `o-select-${++count}`);
  const refusal = (option) => seen(checkpoint).refusal(path, option);
  const why = refusal(value);
  return html`
    <div>
      <label class="o-chip-title" for=${id}><b>${label}</b><small>${help}</small></label>
      <select id=${id} class="o-select" onChange=${({ target }) => pick(options[target.selectedIndex][1])}>
        ${options.map(
          ([shown, option]) => html`<option
            selected=${option === value}
            disabled=${Boolean(refusal(option))}
            title=${refusal(option)}
          >
            ${shown}
          </option>`,
        )}
      </select>
      ${why && html`<span class="o-why">${why}</span>`}
    </div>
  `;
}

defineField("o-select", ({ value, spec, pick }) => html`<${Choice} ...${spec} value=${value} pick=${pick} />`);
