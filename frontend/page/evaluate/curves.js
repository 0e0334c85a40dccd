// Curves over saves: each metric over the steps of a training, beside the run that it began with, the best step marked.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { useAnswer } from "../parts/server.js";
import { html, useSignal } from "../vendor/preact.js";
import { Chart } from "./chart.js";
import { saveCsv } from "./csv.js";
import { figure, interval, titleOfMetric } from "./figures.js";
import { evaluation } from "./store.js";

const SAVE = /@\d+$/;

const isSave = ({ adapter, reasoner }) => SAVE.test(adapter?.name ?? reasoner);

export function Curves({ runs: [run] }) {
  const { runs, fetched } = seen(evaluation);
  const baseline = useSignal("");
  const same = runs.filter((one) => one.benchmark_id === run.benchmark_id);
  const path = `/v1/runs/curves?benchmark=${run.benchmark_id}${baseline.value && `&baseline=${baseline.value}`}`;
  const found = useAnswer(path, same.some(isSave) && `${path} ${fetched}`);
  if (!found?.curves.length) return null;
  const others = same.filter((one) => !isSave(one));
  return html`
    <section class="o-card-plain o-evaluate-curves" aria-label=${say("evaluate.curves")}>
      <header>
        <h2>${say("evaluate.curves")}</h2>
        <span class="o-grow" />
        ${
          others.length > 0 &&
          html`<label class="o-inline">
            <span>${say("evaluate.curve_baseline")}</span>
            <select class="o-select" value=${baseline.value} onChange=${({ target }) => (baseline.value = target.value)}>
              <option value="">${say("evaluate.curve_baseline_own")}</option>
              ${others.map(({ id, title }) => html`<option key=${id} value=${id}>${title}</option>`)}
            </select>
          </label>`
        }
        <${IconButton}
          icon="download"
          words=${say("evaluate.curve_csv")}
          data-do="curves-csv"
          onClick=${() => saveCsv(`${run.benchmark}-curves.csv`, rowsOf(found.curves))}
        />
      </header>
      ${found.curves.map((curve) => html`<${Training} key=${`${curve.training} ${curve.checkpoint} ${curve.scale}`} curve=${curve} />`)}
    </section>
  `;
}

function Training({ curve: { training, checkpoint, scale, lines } }) {
  const name = checkpoint ? say("evaluate.curve_of", { training, checkpoint }) : training;
  return html`
    <h3>${scale === 1 ? name : say("evaluate.curve_scale", { name, scale })}</h3>
    <div class="o-evaluate-charts">${lines.map((line) => html`<${Line} key=${line.metric} line=${line} />`)}</div>
  `;
}

function Line({ line: { metric, points, baseline, peak } }) {
  const best = points.find(({ step }) => step === peak).measurement;
  const told = points.map(({ step, measurement: { value, low, high, ...rest } }) => ({
    x: step,
    value,
    low,
    high,
    title: [say("evaluate.curve_step", { step }), figure(metric, value), interval({ metric, low, high, ...rest })]
      .filter(Boolean)
      .join(" · "),
  }));
  const title = titleOfMetric(metric);
  return html`
    <figure data-metric=${metric}>
      <figcaption title=${evaluation.metrics[metric]?.help}>
        <b>${title}</b>
        <small>${say("evaluate.curve_peak", { value: figure(metric, best.value), step: peak })}</small>
        ${baseline && html`<small>${say("evaluate.curve_beside", { value: figure(metric, baseline.value) })}</small>`}
      </figcaption>
      <${Chart}
        label=${say("evaluate.curve_label", { metric: title, step: peak })}
        lines=${[{ title, colour: "var(--o-accent)", points: told, peak }]}
        baseline=${baseline?.value ?? null}
        written=${(value) => figure(metric, value)}
        xs=${[told[0], told.at(-1)].map(({ x }) => say("evaluate.curve_step", { step: x }))}
      />
    </figure>
  `;
}

/** The lines as rows: the baseline has no step. */
function rowsOf(curves) {
  const rows = [["training", "checkpoint", "scale", "metric", "step", "run", "value", "low", "high", "peak"]];
  for (const { training, checkpoint, scale, baseline: run, lines } of curves)
    for (const { metric, points, baseline, peak } of lines) {
      const row = (step, id, { value, low, high }) =>
        rows.push([
          training,
          checkpoint,
          scale,
          metric,
          step,
          id,
          value,
          low ?? "",
          high ?? "",
          step === peak ? "peak" : "",
        ]);
      if (baseline) row("", run, baseline);
      for (const { step, run: id, measurement } of points) row(step, id, measurement);
    }
  return rows;
}
