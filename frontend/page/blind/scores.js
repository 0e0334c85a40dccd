// What the verdicts come to: of this test, and of all blind tests together.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { html } from "../vendor/preact.js";
import { blind } from "./store.js";

const points = (value) => (value === null || value === undefined ? "–" : value.toFixed(0));
const percent = (share) => (share === null || share === undefined ? "–" : `${(100 * share).toFixed(0)} %`);
const between = (low, high, words) => (low === null || low === undefined ? "" : `${words(low)} – ${words(high)}`);

export function BlindScores() {
  const { scores } = seen(blind);
  if (!scores) return null;
  return html`
    <section class="o-card-plain" aria-label=${say("blind.view_scores")}>
      <${Table} name=${say("blind.of_test")} rows=${scores.test.policies} />
      ${
        scores.all.policies.length > scores.test.policies.length &&
        html`<${Table} name=${say("blind.of_all")} rows=${scores.all.policies} />`
      }
      <p class="o-hint">${say("blind.scores_hint")}</p>
    </section>
  `;
}

const Table = ({ name, rows }) => html`
  <div class="o-evaluate-scroll" tabindex="0" role="region" aria-label=${name}>
    <table>
      <caption>${name}</caption>
      <thead>
        <tr>
          ${["policy", "rating", "progress", "record", "success"].map(
            (column) => html`<th key=${column} scope="col">${say(`blind.${column}`)}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`
            <tr key=${row.policy} data-policy=${row.policy}>
              <th scope="row">${row.policy}</th>
              <td class="o-num"><b>${points(row.rating)}</b> <small>${between(row.low, row.high, points)}</small></td>
              <td class="o-num">
                ${percent(row.progress)} <small>${between(row.progress_low, row.progress_high, percent)}</small>
              </td>
              <td class="o-num">${[row.wins, row.losses, row.ties].join(" · ")}</td>
              <td class="o-num">${row.num_measured ? `${row.num_successes} / ${row.num_measured}` : "–"}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`;
