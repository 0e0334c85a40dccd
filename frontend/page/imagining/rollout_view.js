// A rollout: the imagined clip, beside it the simulated one where there is one, and the error of each step.

import "../playhead/part.js";
import { say } from "../data/facts.js";
import { cellOf } from "../playhead/cells.js";
import { html } from "../vendor/preact.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 150, 46, 20, 8];

export function RolloutView({ rollout }) {
  const { video, simulated } = rollout;
  const clips = [
    [video, "imagined"],
    [simulated?.video, "simulated"],
  ].filter(([clip]) => clip);
  const columns = clips.map(([, name]) => say(`rollout.${name}`));
  const cells = clips.map(([clip], column) => cellOf(clip, { column, label: columns[column] }));
  return html`
    <div class="o-rollout" data-state=${rollout.state}>
      <p role="status">${standing(rollout)}</p>
      ${cells.length > 0 && html`<o-playhead grid=${{ columns, cells }} />`}
      ${simulated?.stopped && html`<p>${say("rollout.stopped", { reason: simulated.stopped })}</p>`}
      ${simulated?.errors.length > 0 && html`<${Errors} errors=${simulated.errors} />`}
    </div>
  `;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** One step's error is the mean over its views. */
function Errors({ errors }) {
  const ours = errors.map(({ psnr_db: views }) => mean(views));
  const still = errors.map(({ still_psnr_db: views }) => mean(views));
  const [low, high] = [Math.min(...ours, ...still), Math.max(...ours, ...still)];
  const x = (step) => LEFT + ((WIDTH - LEFT - 6) * step) / Math.max(errors.length - 1, 1);
  const y = (value) => TOP + (HEIGHT - BOTTOM - TOP) * (1 - (value - low) / (high - low || 1));
  const line = (values) => values.map((value, step) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const written = (value) => value.toFixed(1);
  return html`
    <figure class="o-rollout-errors">
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${say("rollout.errors")}>
        ${[low, high].map((value) => html`<text x=${LEFT - 6} y=${y(value) + 4} text-anchor="end">${written(value)}</text>`)}
        <text x=${LEFT} y=${HEIGHT - 4}>${say("rollout.step")} 1</text>
        <text x=${WIDTH - 6} y=${HEIGHT - 4} text-anchor="end">${errors.length}</text>
        <polyline data-line="still" points=${line(still)} />
        <polyline data-line="imagined" points=${line(ours)} />
        ${errors.map((_, step) => {
          const words = { step: step + 1, psnr: written(ours[step]), still: written(still[step]) };
          return html`<circle cx=${x(step)} cy=${y(ours[step])} r="3"><title>${say("rollout.step_line", words)}</title></circle>`;
        })}
      </svg>
      <figcaption class="o-num">${say("rollout.mean", { psnr: written(mean(ours)), still: written(mean(still)) })}</figcaption>
    </figure>
  `;
}

function standing({ state, error, chunks, request, video }) {
  if (state === "failed") return say("rollout.failed", { reason: error.message });
  if (state === "cancelled") return say("rollout.cancelled");
  if (state === "running" && video) return say("rollout.simulating");
  if (state === "running") return say("rollout.running", { chunks: chunks.length, count: request.num_chunks });
  const actions = chunks.reduce((sum, chunk) => sum + chunk.actions.length, 0);
  return say("rollout.done", { chunks: chunks.length, actions });
}
