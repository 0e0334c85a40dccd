// The loss as it falls: in all, by modality, and by noise level, drawn as lines over the steps; of a policy also how
// often its saves succeed, with 95 % intervals.

import { say, titleOf } from "../data/facts.js";
import { html, useSignal } from "../vendor/preact.js";

const [WIDE, TALL] = [720, 220];
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 12, 10, 22];
const MOST_POINTS = 360; // more than that is not seen on a screen
const NUM_TICKS = 4;

export function Curves({ id, points, saves }) {
  const view = useSignal("modality");
  const modalities = [...new Set(points.flatMap(({ by_noise }) => Object.keys(by_noise)))];
  const accuracy = points.findLast((point) => typeof point.accuracy === "number")?.accuracy;
  const tried = saves.filter(({ success }) => success);
  const lines =
    view.value === "modality"
      ? byModality(points)
      : view.value === "success"
        ? bySave(tried)
        : byNoise(points, view.value);
  return html`
    <section class="o-card-plain o-tune-curves" aria-label=${say("tune.curves")}>
      <header>
        <h2>${say("tune.curves")}</h2>
        <span class="o-grow" />
        <select
          class="o-select"
          aria-label=${say("tune.curves_by")}
          value=${view.value}
          onChange=${({ currentTarget }) => {
            view.value = currentTarget.value;
          }}
        >
          <option value="modality">${say("tune.by_modality")}</option>
          ${modalities.map((name) => html`<option key=${name} value=${name}>${say("tune.by_noise", { name: wordsOf(name) })}</option>`)}
          ${tried.length > 0 && html`<option value="success">${say("tune.by_success")}</option>`}
        </select>
        <a class="o-btn" href=${`/v1/tunings/${id}/curves.csv`} download data-do="csv">${say("tune.csv")}</a>
      </header>
      <${Chart} lines=${lines} marks=${saves.map(({ step }) => step)} />
      <ul class="o-tune-legend">
        ${lines.map(({ name, values }, at) => html`<li key=${name} data-line=${at}><i />${name} <b>${(values.at(-1)?.[1] ?? 0).toFixed(3)}</b></li>`)}
        ${accuracy !== undefined && html`<li>${say("tune.accuracy")} <b>${accuracy.toFixed(3)}</b></li>`}
      </ul>
    </section>
  `;
}

const wordsOf = (name) => titleOf(name).replaceAll("_", " ");

/** [{ name, values: [[step, loss]] }]: in all, then of each modality or mode. */
function byModality(points) {
  const names = [...new Set(points.flatMap(({ losses }) => Object.keys(losses)))].sort();
  const whole = { name: say("tune.loss"), values: points.map(({ step, loss }) => [step, loss]) };
  // The only modality is the whole of it.
  const others = names.filter((name) => points.some(({ loss, losses }) => losses[name] !== loss));
  return [
    whole,
    ...others.map((name) => ({ name: wordsOf(name), values: valuesOf(points, ({ losses }) => losses[name]) })),
  ].map(thinned);
}

/** The rate of success of each save, with its interval. */
const bySave = (saves) => [
  {
    name: say("tune.by_success"),
    values: saves.map(({ step, success }) => [step, success.value]),
    spread: saves.map(({ step, success }) => [step, success.low, success.high]),
  },
];

/** Low, middle and high noise: means over thirds of the levels. */
function byNoise(points, modality) {
  const thirds = [
    ["low", 0, 3],
    ["middle", 3, 7],
    ["high", 7, 10],
  ];
  return thirds
    .map(([name, from, to]) => ({
      name: say(`tune.noise_${name}`),
      values: valuesOf(points, ({ by_noise }) => {
        const some = (by_noise[modality] ?? []).slice(from, to).filter((value) => value !== null);
        return some.length ? some.reduce((sum, value) => sum + value, 0) / some.length : undefined;
      }),
    }))
    .filter(({ values }) => values.length)
    .map(thinned);
}

const valuesOf = (points, read) =>
  points.flatMap((point) => {
    const value = read(point);
    return value === undefined || value === null ? [] : [[point.step, value]];
  });

/** Means over neighbours where there are more than can be seen. */
function thinned({ name, values }) {
  const size = Math.ceil(values.length / MOST_POINTS);
  if (size <= 1) return { name, values };
  const groups = Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  );
  return {
    name,
    values: groups.map((group) => [group.at(-1)[0], group.reduce((sum, [, value]) => sum + value, 0) / group.length]),
  };
}

function Chart({ lines, marks }) {
  const spread = lines.flatMap(({ spread: own = [] }) => own);
  const all = [
    ...lines.flatMap(({ values }) => values),
    ...spread.flatMap(([step, low, high]) => [
      [step, low],
      [step, high],
    ]),
  ];
  if (!all.length) return null;
  const steps = all.map(([step]) => step);
  const losses = all.map(([, loss]) => loss).filter(Number.isFinite);
  const [first, last] = [Math.min(...steps), Math.max(...steps)];
  const [low, high] = [Math.min(...losses), Math.max(...losses)];
  const x = (step) => LEFT + ((WIDE - LEFT - RIGHT) * (step - first)) / Math.max(last - first, 1);
  const y = (loss) => TALL - BOTTOM - ((TALL - TOP - BOTTOM) * (loss - low)) / Math.max(high - low, 1e-9);
  const ticks = Array.from({ length: NUM_TICKS }, (_, at) => low + ((high - low) * at) / (NUM_TICKS - 1));
  return html`
    <svg
      class="o-tune-chart"
      viewBox=${`0 0 ${WIDE} ${TALL}`}
      role="img"
      aria-label=${say("tune.chart", { first, last, from: lines[0].values[0]?.[1].toFixed(3), to: lines[0].values.at(-1)?.[1].toFixed(3) })}
    >
      ${ticks.map(
        (loss) => html`
          <g key=${loss}>
            <line class="o-tune-grid" x1=${LEFT} x2=${WIDE - RIGHT} y1=${y(loss)} y2=${y(loss)} />
            <text x=${LEFT - 6} y=${y(loss) + 4} text-anchor="end">${loss.toFixed(2)}</text>
          </g>
        `,
      )}
      ${marks.filter((step) => step >= first && step <= last).map((step) => html`<line key=${step} class="o-tune-mark" x1=${x(step)} x2=${x(step)} y1=${TOP} y2=${TALL - BOTTOM} />`)}
      <text x=${LEFT} y=${TALL - 5}>${first}</text>
      <text x=${WIDE - RIGHT} y=${TALL - 5} text-anchor="end">${say("tune.step", { step: last })}</text>
      ${spread.map(([step, from, to]) => html`<line key=${`${step}-spread`} data-line="0" data-spread x1=${x(step)} x2=${x(step)} y1=${y(from)} y2=${y(to)} />`)}
      ${lines
        .map(
          ({ name, values }, at) =>
            html`<polyline key=${name} data-line=${at} points=${values.map(([step, loss]) => `${x(step).toFixed(1)},${y(loss).toFixed(1)}`).join(" ")} />`,
        )
        .reverse()}
    </svg>
  `;
}
