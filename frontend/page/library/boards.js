// The tags as boards: each with its newest image and how many items it has. Items are dropped on one to tag them; those
// that are pressed narrow the grid to items that have all of them.

import { counted, say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { seen } from "../data/store.js";
import { Icon } from "../parts/icons.js";
import { query } from "./query.js";
import { library } from "./store.js";
import { html, useSignal } from "../vendor/preact.js";

/** What a drag of items carries: their ids, as JSON. */
export const DRAGGED = "application/x-orrery-items";

export function Boards() {
  const over = useSignal(""); // the tag under a drag
  const { tags } = seen(library).facets;
  const chosen = seen(query).tags;
  if (!tags.length || query.get("trashed")) return null;

  const tag = async (event, value) => {
    over.value = "";
    const ids = JSON.parse(event.dataTransfer.getData(DRAGGED) || "[]");
    if (!ids.length) return;
    event.preventDefault();
    await library.change(ids, { add_tags: [value] });
    const undo = { words: say("did.undo"), act: () => library.change(ids, { remove_tags: [value] }) };
    toast(counted("did.tagged", ids.length, { tag: value }), "", "good", undo);
  };
  const isOver = (event, value) => {
    if (!event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    over.value = value;
  };
  return html`
    <nav class="o-boards" aria-label=${say("library.boards")}>
      <ul role="list">
        ${tags.map(
          ({ value, num_items: count, cover_url: cover }) => html`
            <li key=${value}>
              <button
                type="button"
                data-tag=${value}
                data-over=${over.value === value ? "" : null}
                aria-pressed=${String(chosen.includes(value))}
                onClick=${() => query.toggleTag(value)}
                onDragOver=${(event) => isOver(event, value)}
                onDragLeave=${() => {
                  over.value = "";
                }}
                onDrop=${(event) => tag(event, value)}
              >
                ${cover ? html`<img alt="" loading="lazy" src=${cover} />` : html`<${Icon} name="curve" size=${18} />`}
                <b>${value}</b>
                <span class="o-num">${count.toLocaleString()}</span>
              </button>
            </li>
          `,
        )}
      </ul>
    </nav>
  `;
}
