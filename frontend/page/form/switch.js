// On or off, as a switch to the right of its label; why it cannot be turned is said while it is pointed at or focused.

import { checkpoint } from "../data/checkpoint.js";
import { seen } from "../data/store.js";
import { html, useSignal, useState } from "../vendor/preact.js";
import { defineField } from "./field.js";

let count = 0;

function Switch({ value, spec: { label, help, path }, pick }) {
  const [id] = useState(() => `o-switch-${++count}`);
  const isLooked = useSignal(false);
  const refused = seen(checkpoint).refusal(path, !value);
  const why = seen(checkpoint).refusal(path, value); // said without being asked for
  const look = (is) => () => {
    isLooked.value = is;
  };
  return html`
    <span class="o-chip-title"><b id=${id}>${label}</b>${help && html`<small>${help}</small>`}</span>
    <button
      type="button"
      class="o-switch"
      role="switch"
      aria-checked=${String(Boolean(value))}
      aria-labelledby=${id}
      aria-disabled=${refused ? "true" : null}
      aria-describedby=${refused || why ? `${id}-why` : null}
      onClick=${() => !refused && pick(!value)}
      onFocus=${look(true)}
      onBlur=${look(false)}
      onPointerEnter=${look(true)}
      onPointerLeave=${look(false)}
    />
    <span class="o-why" id=${`${id}-why`} data-passing=${!why || null}>${why || (isLooked.value && refused)}</span>
  `;
}

defineField("o-switch", Switch);
