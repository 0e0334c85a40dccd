// The chosen runs beside each other: every metric over all items, then category by category or field by field.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { html } from "../vendor/preact.js";
import { saveCsv } from "./csv.js";
import { figure, interval, titleOfMetric } from "./figures.js";
import { Judging } from "./judging.js";
import { evaluation } from "./store.js";

export function Standing({ runs }) {
  const { scores, table } = seen(evaluation);
  const drawn = runs.map((run) => scores[run.id]).filter(Boolean);
  if (drawn.length < runs.length) return null;
  const metrics = [...new Set(drawn.flatMap(({ overall }) => overall.measurements.map(({ metric }) => metric)))];
  const measured = metrics.filter((name) =>
    drawn.some(({ overall }) => overall.measurements.some(({ metric, value }) => metric === name && value !== null)),
  );
  return html`
    <section class="o-card-plain o-evaluate-standing" aria-label=${say("evaluate.scores")}>
      <header>
        <h2>${runs[0].benchmark_title}</h2>
        <span class="o-grow" />
        ${
          runs.length === 1 &&
          html`<a class="o-btn" href=${`/v1/runs/${runs[0].id}/export`} download data-do="export">
            ${say("evaluate.export")}
          </a>`
        }
        <${IconButton}
          icon="download"
          words=${say("evaluate.csv")}
          data-do="csv"
          onClick=${() => save(runs, drawn, table)}
        />
      </header>
      <p class="o-hint">${runs.map((run, at) => countsOf(run, drawn[at])).join(" · ")}</p>
      <div class="o-evaluate-scroll" tabindex="0" role="region" aria-label=${say("evaluate.overall")}>
        <table>
          <caption>${say("evaluate.overall")}</caption>
          <thead>
            <tr><th scope="col">${say("evaluate.metric")}</th>${runs.map((run) => html`<th scope="col">${run.title}</th>`)}</tr>
          </thead>
          <tbody>
            ${measured.map((metric) => html`<${MetricRow} metric=${metric} drawn=${drawn} />`)}
          </tbody>
        </table>
      </div>
      ${table && table.rows.length > 2 && html`<${Groups} table=${table} metrics=${measured} />`}
      <${Judging} runs=${runs} />
    </section>
  `;
}

function countsOf(run, { overall: { counts } }) {
  const told = ["unparsed", "failed", "unanswered", "unjudged"].filter((name) => counts[name] > 0);
  return [
    `${run.title}: ${say("evaluate.answered", { count: counts.answered })}`,
    ...told.map((name) => say(`evaluate.count_${name}`, { count: counts[name] })),
  ].join(", ");
}

function MetricRow({ metric, drawn }) {
  const found = drawn.map(({ overall }) => overall.measurements.find((one) => one.metric === metric));
  const best = bestOf(metric, found);
  return html`
    <tr data-metric=${metric}>
      <th scope="row" title=${evaluation.metrics[metric]?.help}>${titleOfMetric(metric)}</th>
      ${found.map((one) => html`<${Cell} one=${one} best=${drawn.length > 1 && one && one.value === best} />`)}
    </tr>
  `;
}

function bestOf(metric, found) {
  const values = found.filter((one) => one && one.value !== null).map(({ value }) => value);
  return evaluation.metrics[metric]?.better === "lower" ? Math.min(...values) : Math.max(...values);
}

function Cell({ one, best }) {
  if (!one || one.value === null) return html`<td class="o-num">–</td>`;
  const range = interval(one);
  return html`
    <td class="o-num" data-best=${best ? "" : null}>
      ${best ? html`<b>${figure(one.metric, one.value)}</b>` : figure(one.metric, one.value)}
      ${one.sd !== null && html`<small> ± ${figure(one.metric, one.sd)}</small>`}
      ${range && html`<small title=${say("evaluate.interval")}>${range}</small>`}
      ${one.baseline !== null && html`<small>${say("evaluate.baseline", { value: figure(one.metric, one.baseline) })}</small>`}
    </td>
  `;
}

function Groups({ table, metrics }) {
  return html`
    <div class="o-evaluate-scroll" tabindex="0" role="region" aria-label=${say("evaluate.groups")}>
      <table>
        <caption>
          <select
            class="o-select"
            aria-label=${say("evaluate.by_metric")}
            value=${table.metric}
            onChange=${({ target }) => evaluation.measure(target.value)}
          >
            ${metrics.map((name) => html`<option key=${name} value=${name}>${titleOfMetric(name)}</option>`)}
          </select>
        </caption>
        <thead>
          <tr>
            <th scope="col">${say("evaluate.group")}</th>
            ${table.models.map((model) => html`<th scope="col">${model}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${table.rows.map(
            ({ name, cells }) => html`
              <tr data-group=${name}>
                <th scope="row">${name}</th>
                ${table.models.map((model) => {
                  const cell = cells[model];
                  return html`<td class="o-num" data-best=${cell?.best ? "" : null}>
                    ${cell?.best && table.models.length > 1 ? html`<b>${told(cell)}</b>` : told(cell)}
                    ${cell && html`<${Bar} one=${cell.measurement} />`}
                  </td>`;
                })}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

const told = (cell) => (cell ? figure(cell.measurement.metric, cell.measurement.value) : "–");

// Only of shares: other metrics have no end.
function Bar({ one }) {
  if (evaluation.metrics[one.metric]?.kind !== "rate" || one.value === null) return null;
  const percent = (share) => `${100 * share}%`;
  return html`
    <span class="o-evaluate-bar" aria-hidden="true">
      <i style=${{ width: percent(one.value) }} />
      ${one.low !== null && html`<u style=${{ left: percent(one.low), right: percent(1 - one.high) }} />`}
    </span>
  `;
}

function save(runs, drawn, table) {
  const rows = [["group", "metric", ...runs.flatMap(({ title }) => [title, `${title} low`, `${title} high`])]];
  const metrics = new Set(drawn.flatMap(({ overall }) => overall.measurements.map(({ metric }) => metric)));
  for (const metric of metrics) {
    const found = drawn.map(({ overall }) => overall.measurements.find((one) => one.metric === metric));
    rows.push([say("evaluate.overall"), metric, ...found.flatMap(numbersOf)]);
  }
  for (const { name, cells } of table?.rows ?? [])
    rows.push([name, table.metric, ...table.models.flatMap((model) => numbersOf(cells[model]?.measurement))]);
  saveCsv(`${runs[0].benchmark}.csv`, rows);
}

const numbersOf = (one) => [one?.value, one?.low, one?.high].map((value) => value ?? "");
