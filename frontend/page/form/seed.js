// "New", "+1" and "lock" beside the seed. Its value is whether the seed is locked.

import { say } from "../data/facts.js";
import { Icon } from "../parts/icons.js";
import { html } from "../vendor/preact.js";
import { defineField } from "./field.js";

defineField("o-seed", ({ value: locked, pick, element }) => {
  const button = (word, icon, act, more = {}) => html`
    <button type="button" class="o-btn" title=${say(`form.${word}_help`)} onClick=${act} ...${more}>
      ${icon && html`<${Icon} name=${icon} size="15" />`}${say(`form.${word}`)}
    </button>
  `;
  return html`
    ${button("new", "again", () => element.dispatchEvent(new Event("o-fresh")))}
    ${button("next", "", () => element.dispatchEvent(new Event("o-next")))}
    ${button("lock", locked ? "closed" : "open", () => pick(!locked), { "aria-pressed": String(Boolean(locked)) })}
  `;
});
