// A choice as chips: a radio group whose options can be refused with a reason that hover and focus both show.

import { checkpoint } from "../data/checkpoint.js";
import { seen } from "../data/store.js";
import { html, useSignal, useState } from "../vendor/preact.js";
import { defineField } from "./field.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
let count = 0;

function Chips({ value, spec: { label, help, path, beside, options }, pick }) {
  const [id] = useState(() => `o-chips-${++count}`);
  const looked = useSignal(""); // why the option under the pointer or with the focus cannot be had
  const refusal = (option) => seen(checkpoint).refusal(path, option);
  const chosen = options.findIndex(([, option]) => option === value);

  function take(button, index) {
    button.focus();
    const [, option] = options[index];
    if (!refusal(option)) pick(option);
  }
  // Arrows reach refused options too, so that the keyboard hears why; they are passed over, not chosen.
  function onKeyDown(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...event.currentTarget.children];
    const to = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
    take(buttons[to], to);
  }
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
    <div
      class="o-chip-group"
      role="radiogroup"
      aria-labelledby=${id}
      onKeyDown=${onKeyDown}
      onFocusIn=${look}
      onPointerOver=${look}
      onFocusOut=${leave}
      onPointerLeave=${leave}
    >
      ${options.map(([shown, option], index) => {
        const why = refusal(option);
        return html`<button
          type="button"
          class="o-chip"
          role="radio"
          aria-checked=${String(index === chosen)}
          tabindex=${index === Math.max(chosen, 0) ? 0 : -1}
          aria-disabled=${why ? "true" : null}
          aria-describedby=${why ? `${id}-why` : null}
          data-why=${why || null}
          onClick=${({ currentTarget }) => take(currentTarget, index)}
        >
          ${shown}
        </button>`;
      })}
    </div>
    ${/* Why the chosen one cannot be had is said without being asked for. */ ""}
    <span class="o-why" id=${`${id}-why`} data-passing=${Boolean(looked.value) || null}>
      ${looked.value || refusal(value)}
    </span>
  `;
}

defineField("o-chips", Chips);
