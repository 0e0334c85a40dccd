// The tags of one item: each with its way out, and a field for another.

import { say } from "../data/facts.js";
import { html } from "../vendor/preact.js";

/** `change` is called with `{ add_tags }` or `{ remove_tags }`; `known` are those that there are. */
export const Tags = ({ tags, known, mayChange, change }) => html`
  <div class="o-tags">
    <ul role="list">
      ${tags.map(
        (tag) => html`
          <li key=${tag}>
            <span>${tag}</span>
            <button
              type="button"
              disabled=${!mayChange}
              aria-label=${say("peek.untag", { tag })}
              onClick=${() => change({ remove_tags: [tag] })}
            >
              ×
            </button>
          </li>
        `,
      )}
    </ul>
    ${
      mayChange &&
      html`<${TagField}
        size="12"
        list="library-tags"
        words=${say("peek.tag")}
        add=${(tag) => change({ add_tags: [tag] })}
      />`
    }
    <datalist id="library-tags">${known.map(({ value }) => html`<option value=${value} />`)}</datalist>
  </div>
`;

/** A field that gives a tag with Enter, and is empty again. */
export function TagField({ words, add, ...attributes }) {
  const press = ({ key, target }) => {
    const tag = target.value.trim();
    if (key !== "Enter" || !tag) return;
    target.value = "";
    add(tag);
  };
  return html`<input
    class="o-select"
    maxlength="60"
    autocomplete="off"
    aria-label=${words}
    placeholder=${words}
    onKeyDown=${press}
    ...${attributes}
  />`;
}
