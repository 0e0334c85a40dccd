// What the ratings come to: real videos first, then the best; people, and below them each reasoner with its agreement.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { html, useSignal } from "../vendor/preact.js";
import { hue } from "./store.js";
import { HueWork } from "./work.js";

const GROUPS = ["dimensions", "domains"];

const percent = (share) => (share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`);

export function HueScores({ study }) {
  const { scores: results } = seen(hue);
  const group = useSignal(GROUPS[0]);
  if (!results) return null;
  const columns = [...new Set(results.people.flatMap((scores) => Object.keys(scores[group.value])))];
  return html`
    <section class="o-card-plain" aria-label=${say("hue.view_scores")}>
      <header>
        <select
          class="o-select"
          aria-label=${say("hue.group")}
          value=${group.value}
          onChange=${({ target }) => (group.value = target.value)}
        >
          ${GROUPS.map((name) => html`<option key=${name} value=${name}>${say(`hue.group_${name}`)}</option>`)}
        </select>
        <span class="o-grow" />
        <${IconButton} icon="download" words=${say("hue.csv")} data-do="csv" onClick=${() => save(study, results)} />
      </header>
      <${Table} name=${say("hue.scores_people")} rows=${results.people} ...${{ columns, group: group.value }} />
      <${People} rows=${results.people} />
      ${results.reasoners.map(
        ({ reasoner, models, agreement }) => html`
          <${Table}
            key=${reasoner}
            name=${say("hue.scores_reasoner", { reasoner })}
            rows=${models}
            ...${{ columns, group: group.value }}
          />
          <p class="o-hint" data-reasoner=${reasoner}>
            ${
              agreement.n
                ? say("hue.agreement_reasoner", { ...shares(agreement), count: agreement.n })
                : say("hue.agreement_none")
            }
          </p>
        `,
      )}
      <p class="o-hint">${say("hue.scores_hint")}</p>
      <${HueWork}
        study=${study}
        task="ratings"
        go=${say("hue.answer")}
        hint=${say("hue.answer_hint")}
        disabled=${!study.num_questions}
      />
    </section>
  `;
}

const shares = ({ share, low, high }) => ({ share: percent(share), low: percent(low), high: percent(high) });

/** How often the first two people said the same, over all rows. */
function People({ rows }) {
  const agreed = rows.filter(({ agreement }) => agreement.n);
  if (!agreed.length) return null;
  return agreed.map(
    ({ model, agreement }) => html`
      <p key=${model} class="o-hint">${model}: ${say("hue.agreement_people", shares(agreement))}</p>
    `,
  );
}

const Table = ({ name, rows, columns, group }) => html`
  <div class="o-evaluate-scroll" tabindex="0" role="region" aria-label=${name}>
    <table>
      <caption>${name}</caption>
      <thead>
        <tr>
          <th scope="col">${say("hue.row")}</th>
          <th scope="col">${say("hue.overall")}</th>
          ${columns.map((column) => html`<th key=${column} scope="col">${say(`hue.${column}`)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (scores) => html`
            <tr key=${scores.model} data-model=${scores.model}>
              <th scope="row">
                ${scores.model}
                ${scores.undecided > 0 && html`<small>${counted("hue.open", scores.undecided)}</small>`}
              </th>
              <${Figure} figure=${scores.overall} strong />
              ${columns.map((column) => html`<${Figure} key=${column} figure=${scores[group][column]} />`)}
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`;

function Figure({ figure, strong = false }) {
  if (!figure?.n) return html`<td class="o-num">–</td>`;
  const { value, low, high, n } = figure;
  return html`
    <td class="o-num">
      ${strong ? html`<b>${percent(value)}</b>` : percent(value)}
      <span class="o-evaluate-bar" aria-hidden="true">
        <i style=${{ width: `${100 * value}%` }} />
        <u style=${{ left: `${100 * low}%`, right: `${100 * (1 - high)}%` }} />
      </span>
      <small>${counted("hue.n", n, { low: percent(low), high: percent(high) })}</small>
    </td>
  `;
}

function save(study, { people, reasoners }) {
  const rows = [["rater", "checkpoint", "group", "value", "low", "high", "answers"]];
  for (const [rater, models] of [["people", people], ...reasoners.map((one) => [one.reasoner, one.models])])
    for (const { model, overall, dimensions, domains, videos } of models)
      for (const [group, { value, low, high, n }] of Object.entries({ overall, ...dimensions, ...domains, ...videos }))
        rows.push([rater, model, group, value ?? "", low ?? "", high ?? "", n]);
  const text = rows.map((row) => row.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(",")).join("\n");
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href: url, download: `hue-${study.id}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url));
}
