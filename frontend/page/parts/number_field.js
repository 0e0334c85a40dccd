// A number that is typed.

import { html, useSignal } from "../vendor/preact.js";

/**
 * `take` gets the text when the field is left or Enter is pressed. Until then it stays as it was typed: drawing the page
 * again would put the old `value` in its place.
 */
export function NumberField({ value, take, ...field }) {
  const typed = useSignal(null);
  return html`
    <input
      class="o-select o-num"
      type="number"
      ...${field}
      value=${typed.value ?? value}
      onInput=${({ target }) => {
        typed.value = target.value;
      }}
      onChange=${({ target }) => {
        typed.value = null;
        take(target.value);
      }}
    />
  `;
}
