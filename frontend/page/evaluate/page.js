// Evaluate: a new run and the runs at the left, what was chosen of them at the right.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { Answers } from "./answers.js";
import { Runs } from "./runs.js";
import { StartForm } from "./start.js";
import { evaluation } from "./store.js";
import { Standing } from "./table.js";

function Evaluate() {
  const { shown, benchmarks } = seen(evaluation);
  return html`
    <div class="o-evaluate-page">
      <div class="o-evaluate-side"><${StartForm} /><${Runs} /></div>
      <div class="o-evaluate-main">
        ${shown.length > 0 && [html`<${Standing} runs=${shown} />`, html`<${Answers} runs=${shown} />`]}
        ${shown.length === 0 && benchmarks !== null && html`<${Empty} />`}
      </div>
    </div>
  `;
}

const Empty = () => html`
  <div class="o-empty">
    <b>${say("evaluate.empty")}</b>
    <p>${say("evaluate.empty_hint")}</p>
  </div>
`;

define("o-evaluate", Evaluate);
