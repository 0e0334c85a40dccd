// Evaluate: benchmarks with a new run and the runs at the left, what was chosen of them at the right; and HUE studies.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { BlindPage } from "../blind/page.js";
import { HuePage } from "../hue/page.js";
import { Columns } from "../parts/columns.js";
import { define } from "../parts/element.js";
import { PageTabs } from "../parts/page_tabs.js";
import { html } from "../vendor/preact.js";
import { Answers } from "./answers.js";
import { Builder } from "./builder.js";
import { Curves } from "./curves.js";
import { Runs } from "./runs.js";
import { Series } from "./series.js";
import { StartForm } from "./start.js";
import { evaluation } from "./store.js";
import { Standing } from "./table.js";

function Benchmarks() {
  const { shown, benchmarks } = seen(evaluation);
  const drafts = shown.length === 1 && shown[0].form === "fields";
  return html`
    <${Columns} side=${html`<${StartForm} /><${Runs} />`}>
      ${
        shown.length > 0 && [
          html`<${Standing} runs=${shown} />`,
          html`<${Curves} key=${shown[0].benchmark_id} runs=${shown} />`,
          html`<${Series} runs=${shown} />`,
          drafts && html`<${Builder} key=${shown[0].id} run=${shown[0]} />`,
          html`<${Answers} runs=${shown} />`,
        ]
      }
      ${shown.length === 0 && benchmarks !== null && html`<${Empty} />`}
    <//>
  `;
}

const Empty = () => html`
  <div class="o-empty">
    <b>${say("evaluate.empty")}</b>
    <p>${say("evaluate.empty_hint")}</p>
  </div>
`;

const PANELS = { benchmarks: Benchmarks, hue: HuePage, blind: BlindPage };

const Evaluate = () => html`
  <${PageTabs}
    id="evaluate"
    label=${say("evaluate.tabs")}
    panels=${PANELS}
    words=${(name) => say(`evaluate.tab_${name}`)}
  />
`;

define("o-evaluate", Evaluate);
