// Refine: what is asked for and what was refined before, beside the tree and the result that is looked at.

import { counted, duration, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { lost } from "../data/gone.js";
import { IconButton } from "../parts/icons.js";
import { RefineForm } from "./form.js";
import { RefineNode } from "./node.js";
import { define, useAttributes } from "../parts/element.js";
import { live } from "../data/live.js";
import { refining } from "./store.js";
import { seen } from "../data/store.js";
import { RefineTree } from "./tree.js";
import { html } from "../vendor/preact.js";

function Refine({ element }) {
  const { tree, node, list, known } = seen(refining);
  const { jobs } = seen(live).state;
  seen(lost);
  useAttributes(element, { "data-refinement": tree?.id, "data-state": tree?.state });
  const others = list.filter((each) => each.id !== tree?.id);
  return html`
    <div class="o-refine-side">
      <${RefineForm} tree=${tree} />
      ${
        others.length > 0 &&
        html`<section class="o-refine-before">
          <h2>${say("refine.before")}</h2>
          <ul class="o-refine-list" role="list">
            ${others.map((each) => html`<${Earlier} key=${each.id} ...${each} />`)}
          </ul>
        </section>`
      }
    </div>
    <div class="o-refine-main">
      ${
        tree &&
        html`<div class="o-refine-shown">
          <${Bar} tree=${tree} />
          ${
            tree.error &&
            html`<p class="o-fault" role="alert">${`${faultWords(tree.error)} ${say("refine.fault")}`}</p>`
          }
          <${RefineTree} key=${tree.id} tree=${tree} chosen=${node} jobs=${jobs} />
          ${node && html`<${RefineNode} tree=${tree} node=${node} job=${jobs[node.job_id]} />`}
        </div>`
      }
      ${!tree && known && html`<${Teaching} />`}
    </div>
  `;
}

function Bar({ tree }) {
  const judged = tree.nodes.filter((node) => node.critique).length;
  const ended =
    tree.state === "succeeded" && tree.ended_by && say(`ended.${tree.ended_by}`, { score: tree.request.good_enough });
  const facts = [
    say("refine.judged", { judged, results: tree.nodes.length }),
    duration(tree.spent_s),
    tree.spent_tokens && say("refine.tokens", { tokens: tree.spent_tokens.toLocaleString("en") }),
  ];
  const button = (name, icon, act, more = {}) =>
    html`<${IconButton} icon=${icon} words=${say(`refine.${name}`)} data-do=${name} onClick=${act} ...${more} />`;
  return html`
    <div class="o-queue-bar">
      <div class="o-queue-lead">
        <b role="status">${[say(`refining.${tree.state}`), ended].filter(Boolean).join(": ")}</b>
        <span class="o-hint">${facts.filter(Boolean).join(" · ")}</span>
      </div>
      ${tree.state === "running" && button("stop", "pause", () => refining.stop(), { "data-hot": "cancel" })}
      ${["failed", "stopped"].includes(tree.state) && button("resume", "play", () => refining.resume())}
      <a
        class="o-btn"
        data-do="export"
        href=${`/v1/refinements/${tree.id}`}
        download=${`orrery-refinement-${tree.id}.json`}
      >
        ${say("refine.export")}
      </a>
      ${button("fresh", "close", () => refining.leave())}
    </div>
  `;
}

const Earlier = ({ id, state, words, media, overall_score: score, num_nodes: nodes }) => html`
  <li>
    <button type="button" data-refinement=${id} onClick=${() => refining.show(id)}>
      ${media?.thumbnail_url ? html`<img loading="lazy" alt="" src=${media.thumbnail_url} />` : html`<i />`}
      <span>
        <b>${words}</b>
        <small>${score == null ? say(`refining.${state}`) : counted("refine.scored", nodes, { score })}</small>
      </span>
    </button>
  </li>
`;

const Teaching = () => html`
  <div class="o-empty o-refine-empty">
    <b>${say("refine.empty")}</b>
    <p>${say("refine.empty_hint")}</p>
    <ol>
      ${["write", "make", "judge", "again"].map(
        (step) => html`<li><b>${say(`step.${step}`)}</b>${say(`step.${step}_hint`)}</li>`,
      )}
    </ol>
    <p>${say("refine.empty_end")}</p>
  </div>
`;

define("o-refine", Refine);
