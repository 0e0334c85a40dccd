// Tune: a new tuning and the tunings so far at the left; at the right the one that is looked at.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Columns } from "../parts/columns.js";
import { define } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { Shown } from "./shown.js";
import { Tunings } from "./list.js";
import { NewTuning } from "./new.js";
import { tuning } from "./store.js";

function Tune() {
  const { shown, datasets } = seen(tuning);
  return html`
    <${Columns} mainFirst=${Boolean(shown)} side=${html`<${NewTuning} /><${Tunings} />`}>
      ${shown ? html`<${Shown} key=${shown.id} tuning=${shown} />` : datasets !== null && html`<${Empty} />`}
    <//>
  `;
}

const Empty = () => html`
  <div class="o-empty">
    <b>${say("tune.empty")}</b>
    <p>${say("tune.empty_hint")}</p>
  </div>
`;

define("o-tune", Tune);
