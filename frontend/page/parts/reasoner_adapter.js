// The LoRA adapter that the reasoner wears for what it says on this page's behalf: answers, tasks and captions. The choice
// is kept in this browser, for every page alike.

import { say } from "../data/facts.js";
import { seen, Store } from "../data/store.js";
import { html } from "../vendor/preact.js";
import { useAnswer } from "./server.js";

const KEY = "orrery.reasoner_adapter";
const PARAM = "reasoner_adapter";

class Worn extends Store {
  name = named() || (localStorage.getItem(KEY) ?? ""); // empty is none

  wear(name) {
    this.name = name;
    try {
      if (name) localStorage.setItem(KEY, name);
      else localStorage.removeItem(KEY);
    } catch {
      // Nothing more fits: it holds until the page is closed.
    }
    this.changed();
  }
}

// An address may name one; a reload goes by what was chosen since.
function named() {
  const address = new URL(location.href);
  const name = address.searchParams.get(PARAM) ?? "";
  if (name) {
    address.searchParams.delete(PARAM);
    history.replaceState(history.state, "", address);
    localStorage.setItem(KEY, name);
  }
  return name;
}

export const worn = new Worn();

/** Nothing where there is none to choose; one that is gone stays shown until another is chosen. */
export function ReasonerAdapter() {
  const { name } = seen(worn);
  const adapters = useAnswer("/v1/adapters", true)?.adapters ?? [];
  const names = [...new Set([...adapters.filter(isForAnswers).map((one) => one.name), ...(name ? [name] : [])])];
  if (!names.length) return null;
  return html`
    <select
      class="o-select o-reasoner-adapter"
      name="reasoner_adapter"
      aria-label=${say("reasoner.adapter")}
      title=${say("reasoner.adapter_help")}
      value=${name}
      onChange=${({ currentTarget }) => worn.wear(currentTarget.value)}
    >
      <option value="">${say("reasoner.no_adapter")}</option>
      ${names.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
    </select>
  `;
}

// Of one from elsewhere nobody knows what it was trained for.
const isForAnswers = ({ lineage }) => !lineage || lineage.recipe.task === "reasoner";
