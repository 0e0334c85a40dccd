// What is looked for: words, and under them everything that narrows.

import { say } from "../data/facts.js";
import { Icon, IconButton } from "../parts/icons.js";
import { library } from "./store.js";
import { query } from "./query.js";
import { storage } from "./storage.js";
import { seen } from "../data/store.js";
import { html, useState } from "../vendor/preact.js";

const TYPES = ["", "image", "video", "actions", "latents"];
const RATINGS = ["", "1", "2", "3", "4", "5"];
const ORDERS = ["", "oldest", "largest"];
const WORDS = "library-words";

export function Filters() {
  const [open, setOpen] = useState(false); // of a narrow page's fold
  const { total, facets } = seen(library);
  const { narrowed } = seen(query);
  return html`
    <o-library-filters>
      <div class="o-filter-line">
        <span class="o-search">
          <${Icon} name="search" size=${17} />
          <${Field}
            field="q"
            clean=${(text) => text.trim()}
            type="search"
            id=${WORDS}
            spellcheck=${false}
            data-hot="words"
            aria-label=${say("library.search")}
            placeholder=${say("library.search_hint")}
          />
          <kbd>/</kbd>
        </span>
        <span class="o-count" role="status">
          ${total !== null && say(total === 1 ? "library.one" : "library.count", { count: total.toLocaleString() })}
        </span>
        ${
          query.get("batch") &&
          html`<button
            type="button"
            class="o-chip"
            data-field="batch"
            aria-label=${say("library.batch_away")}
            onClick=${() => query.set({ batch: "" })}
          >
            ${say("library.batch")} ×
          </button>`
        }
        <${IconButton}
          icon="copies"
          words=${say("library.stacks")}
          title=${say("library.stacks_help")}
          data-field="flat"
          aria-pressed=${String(!query.get("flat"))}
          onClick=${() => query.set({ flat: query.get("flat") ? "" : "true" })}
        />
        <${Toggle} icon="star" field="starred" />
        <${Toggle} icon="evaluate" field="evaluation" />
        <${Toggle} icon="trash" field="trashed" />
        <${IconButton}
          icon="filter"
          words=${narrowed ? say("library.filters_on", { count: narrowed }) : say("library.filters")}
          class="o-narrow-only"
          aria-expanded=${String(open)}
          onClick=${() => setOpen(!open)}
        />
        <${IconButton}
          icon="disk"
          words=${say("library.storage")}
          data-do="storage"
          onClick=${() => storage.current.showModal()}
        />
      </div>
      <div class="o-filter-line o-filters" data-open=${open ? "" : null}>
        <${Choice} field="order" options=${ORDERS.map((order) => [order, say(`order.${order || "newest"}`)])} />
        <${Choice}
          field="type"
          options=${TYPES.map((type) => [type, say(type ? `media.${type}s` : "library.any_type")])}
        />
        <${Facet} field="kind" facets=${facets.kinds} words=${(kind) => say(`kind.${kind}`)} />
        <${Facet} field="checkpoint" facets=${facets.checkpoints} />
        <${Choice} field="rating" options=${RATINGS.map((least) => [least, say(least ? "library.rated" : "library.any_rating", { least })])} />
        <${Narrowing}
          field="seed"
          clean=${(text) => text.replace(/\D/g, "")}
          type="text"
          inputmode="numeric"
          pattern="[0-9]*"
          size="9"
          placeholder=${say("library.seed")}
        />
        <span class="o-dates">
          <${Narrowing} field="since" type="date" />
          <span>–</span>
          <${Narrowing} field="until" type="date" />
        </span>
        ${narrowed > 0 && html`<button type="button" class="o-link" onClick=${clear}>${say("library.clear")}</button>`}
      </div>
    </o-library-filters>
  `;
}

function clear() {
  query.clear();
  document.getElementById(WORDS).focus();
}

const Toggle = ({ icon, field }) => html`
  <${IconButton}
    icon=${icon}
    words=${say(`library.${field}`)}
    data-field=${field}
    aria-pressed=${String(Boolean(query.get(field)))}
    onClick=${() => query.set({ [field]: query.get(field) ? "" : "true" })}
  />
`;

/** A field of the question; what stands in it stays as it was typed, while `clean` of it is what is looked for. */
function Field({ field, clean = (text) => text, ...attributes }) {
  const [typed, setTyped] = useState("");
  const value = seen(query).get(field);
  return html`<input
    autocomplete="off"
    value=${clean(typed) === value ? typed : value}
    onInput=${({ target }) => {
      setTyped(target.value);
      query.set({ [field]: clean(target.value) });
    }}
    ...${attributes}
  />`;
}

const Narrowing = ({ field, ...attributes }) => html`
  <${Field}
    class="o-select"
    field=${field}
    data-field=${field}
    aria-label=${say(`library.by_${field}`)}
    ...${attributes}
  />
`;

const Choice = ({ field, options }) => html`
  <select
    class="o-select"
    data-field=${field}
    aria-label=${say(`library.by_${field}`)}
    value=${query.get(field)}
    onChange=${({ target }) => query.set({ [field]: target.value })}
  >
    ${options.map(([value, words]) => html`<option key=${value} value=${value}>${words}</option>`)}
  </select>
`;

/** A choice of what there is; the value that is looked for stays one, even when nothing has it any more. */
function Facet({ field, facets, words = (value) => value }) {
  const chosen = query.get(field);
  const options = facets.map(({ value, num_items: count }) => [value, `${words(value)} · ${count.toLocaleString()}`]);
  if (chosen && !facets.some(({ value }) => value === chosen)) options.push([chosen, words(chosen)]);
  return (
    options.length > 0 && html`<${Choice} field=${field} options=${[["", say(`library.any_${field}`)], ...options]} />`
  );
}
