// Metrics that have parts, over all items: PSNR by frame as lines, squared errors by channel as a table.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { colourOf } from "../media/actions_chart.js";
import { html } from "../vendor/preact.js";
import { Chart } from "./chart.js";
import { figure, titleOfMetric } from "./figures.js";
import { evaluation } from "./store.js";

const BY_FRAME = "psnr_db"; // the others are by channel

export function Series({ runs }) {
  const { scores } = seen(evaluation);
  const drawn = runs.map((run) => ({ run, series: scores[run.id]?.overall.series ?? {} }));
  const channels = scores[runs[0].id]?.channels ?? []; // all runs are of one benchmark
  const names = [...new Set(drawn.flatMap(({ series }) => Object.keys(series)))];
  if (!names.length) return null;
  return html`
    <section class="o-card-plain o-evaluate-series" aria-label=${say("evaluate.series")}>
      <header><h2>${say("evaluate.series")}</h2></header>
      <div class="o-evaluate-charts">
        ${names.includes(BY_FRAME) && html`<${ByFrame} drawn=${drawn} />`}
      </div>
      ${names.filter((name) => name !== BY_FRAME).map((name) => html`<${ByChannel} key=${name} metric=${name} drawn=${drawn} channels=${channels} />`)}
    </section>
  `;
}

function ByFrame({ drawn }) {
  const lines = drawn
    .filter(({ series }) => series[BY_FRAME])
    .map(({ run, series }, at) => ({
      title: run.title,
      colour: drawn.length > 1 ? colourOf(at) : "var(--o-accent)",
      points: series[BY_FRAME].map((value, index) => ({
        x: index + 1,
        value,
        title: `${run.title} · ${say("evaluate.series_frame", { frame: index + 1 })} · ${figure(BY_FRAME, value)}`,
      })),
    }));
  const last = Math.max(...lines.map(({ points }) => points.length));
  const title = say("evaluate.series_by_frame", { metric: titleOfMetric(BY_FRAME) });
  return html`
    <figure data-series=${BY_FRAME}>
      <figcaption>
        <b>${title}</b>
        ${lines.length > 1 && lines.map((line) => html`<small><i style=${{ background: line.colour }} />${line.title}</small>`)}
      </figcaption>
      <${Chart}
        label=${title}
        lines=${lines}
        written=${(value) => figure(BY_FRAME, value)}
        xs=${[1, last].map((frame) => say("evaluate.series_frame", { frame }))}
      />
    </figure>
  `;
}

function ByChannel({ metric, drawn, channels }) {
  const length = Math.max(...drawn.map(({ series }) => series[metric]?.length ?? 0));
  return html`
    <div class="o-evaluate-scroll" tabindex="0" role="region" aria-label=${titleOfMetric(metric)}>
      <table data-series=${metric}>
        <caption>${say("evaluate.series_by_channel", { metric: titleOfMetric(metric) })}</caption>
        <thead>
          <tr>
            <th scope="col">${say("evaluate.channel")}</th>
            ${[...Array(length).keys()].map((at) => html`<th scope="col">${channels[at] ?? at + 1}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${drawn.map(
            ({ run, series }) => html`<tr>
              <th scope="row">${run.title}</th>
              ${[...Array(length).keys()].map((at) => html`<td class="o-num">${figure(metric, series[metric]?.[at])}</td>`)}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}
