// What was compared before; before the first one, what comparing is for.

import { counted, say } from "../data/facts.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { useAnswer } from "../parts/server.js";
import { html } from "../vendor/preact.js";

const TAUGHT = ["axes", "truth", "library"];

// Asked for again when a job of a batch moves on.
export function CompareList() {
  const { seq, state } = seen(live);
  const moves = Object.values(state.jobs).filter(({ batch }) => batch);
  const now = JSON.stringify(moves.map((job) => [job.id, job.state]));
  const comparisons = useAnswer("/v1/comparisons", seq >= 0 && now)?.comparisons;
  return html`
    <o-compare-list role="region" aria-label=${say("compare.earlier")}>
      ${comparisons?.length === 0 && html`<${Empty} />`}
      ${
        comparisons?.length > 0 &&
        html`
          <h2>${say("compare.earlier")}</h2>
          <ul role="list" class="o-compared">${comparisons.map((one) => html`<${Compared} key=${one.id} ...${one} />`)}</ul>
        `
      }
    </o-compare-list>
  `;
}

const Empty = () => html`
  <div class="o-compare-empty">
    <b>${say("compare.empty")}</b>
    <p>${say("compare.empty_hint")}</p>
    <ul role="list">
      ${TAUGHT.map(
        (name) => html`<li><b>${say(`compare.teach_${name}`)}</b><p>${say(`compare.teach_${name}_hint`)}</p></li>`,
      )}
    </ul>
  </div>
`;

function Compared({ id, title, created_at: at, thumbnail_url: url, ...numbers }) {
  const { num_rows: rows, num_columns: columns, num_cells: cells, num_done: done } = numbers;
  const stands =
    cells === 0
      ? say("compare.shown_only")
      : done < cells
        ? say("compare.done", { done, cells })
        : counted("compare.all_done", cells);
  const when = new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return html`
    <li>
      <a href=${`/compare?id=${id}`}>
        <span class="o-compared-picture">${url && html`<img alt="" loading="lazy" src=${url} />`}</span>
        <span class="o-compared-said">
          <b>${title}</b><small>${[say("compare.summary", { rows, columns }), stands, when].join(" · ")}</small>
        </span>
      </a>
    </li>
  `;
}
