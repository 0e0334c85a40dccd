// The round trip of the predicted video on the stage: its actions estimated again, and each value's error at each step.

import { say } from "../data/facts.js";
import { ended } from "../data/jobs.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { defineField } from "../form/field.js";
import { selection } from "../making/selection.js";
import { ask } from "../parts/server.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const MOST_COLUMNS = 10;

function RoundTrip() {
  const { state } = seen(live);
  seen(selection);
  const trip = useSignal(null); // { predicted, estimation }: ids of jobs
  const found = useSignal(null);
  const job = selection.job(state);
  const ready = job?.kind === "predict_video" && job.state === "succeeded";
  const { predicted, estimation } = trip.value ?? {};
  const back = state.jobs[estimation];
  const done = back && ended(back) && back.state;

  useEffect(() => {
    if (done !== "succeeded") return;
    ask("GET", `/v1/jobs/${predicted}/round-trip/${estimation}`).then((answer) => (found.value = answer));
  }, [done, estimation]);

  async function start() {
    const asked = await ask("POST", `/v1/jobs/${job.id}/round-trip`);
    if (!asked) return;
    found.value = null;
    trip.value = { predicted: job.id, estimation: asked.id };
  }

  return html`
    <span class="o-line-title">
      <b>${say("round.title")}</b>
      <small>${say(ready || trip.value ? "round.help" : "round.none")}</small>
      <button type="button" class="o-btn" data-do="round-trip" disabled=${!ready || (trip.value && !done)} onClick=${start}>
        ${say("round.start")}
      </button>
    </span>
    <div role="status">
      ${trip.value && !done && say("round.waiting")} ${done && done !== "succeeded" && say("round.failed")}
      ${found.value && say("round.mse", { mse: found.value.mse.toPrecision(3) })}
    </div>
    ${found.value && html`<${Errors} ...${found.value} />`}
  `;
}

function Errors({ columns, errors, column_mse: squares }) {
  const shown = columns.slice(0, MOST_COLUMNS);
  const largest = Math.max(...errors.flat().map(Math.abs)) || 1;
  return html`
    <div class="o-round-errors" tabindex="0">
      <table aria-label=${say("round.table")}>
        <thead>
          <tr>
            <th scope="col">${say("round.step")}</th>
            ${shown.map((name) => html`<th scope="col">${name.replaceAll("_", " ")}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${errors.map(
            (row, index) => html`<tr>
              <th scope="row">${index + 1}</th>
              ${shown.map(
                (_, column) => html`<td style=${{ "--o-share": `${(100 * Math.abs(row[column])) / largest}%` }}>
                  ${row[column].toFixed(3)}
                </td>`,
              )}
            </tr>`,
          )}
          <tr>
            <th scope="row">${say("round.rms")}</th>
            ${shown.map((_, column) => html`<td>${Math.sqrt(squares[column]).toFixed(3)}</td>`)}
          </tr>
        </tbody>
      </table>
    </div>
  `;
}

defineField("o-round-trip", RoundTrip, {});
