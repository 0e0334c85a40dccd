// A choice as chips: a radio group whose options can be refused with a reason that hover and focus both show.

import { checkpoint } from "../data/checkpoint.js";
import { seen } from "../data/store.js";
import { Choice } from "../parts/choice.js";
import { html, useSignal, useState } from "../vendor/preact.js";
import { defineField } from "./field.js";

let count = 0;

function Chips({ value, spec: { label, help, path, beside, options }, pick }) {
  const [id] = useState(() => `o-chips-${++count}`);
  const looked = useSignal(""); // why the option under the pointer or with the focus cannot be had
  const refusal = (option) => seen(checkpoint).refusal(path, option);
  const look = ({ target }) => {
    looked.value = target.dataset?.why ?? "";
  };
  const leave = () => {
    looked.value = "";
  };

  return html`
    <span class="o-chip-title">
      <b id=${id}>${label}</b>
      ${beside ? html`<${beside} />` : help && html`<small>${help}</small>`}
    </span>
    <${Choice}
      aria-labelledby=${id}
      options=${options.map(([title, option]) => ({ value: option, title, why: refusal(option) }))}
      value=${value}
      choose=${pick}
      described=${`${id}-why`}
      onFocusIn=${look}
      onPointerOver=${look}
      onFocusOut=${leave}
      onPointerLeave=${leave}
    />
    ${/* Why the chosen one cannot be had is said without being asked for. */ ""}
    <span class="o-why" id=${`${id}-why`} data-passing=${Boolean(looked.value) || null}>
      ${looked.value || refusal(value)}
    </span>
  `;
}

defineField("o-chips", Chips);
