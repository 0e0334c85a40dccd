// An entry of the waiting list: one job, or a batch with its progress and its jobs behind a fold.

import { say } from "../data/facts.js";
import { Icon, IconButton } from "../parts/icons.js";
import { kindOf, lineOf, promptOf } from "../data/job_words.js";
import { ended } from "../data/jobs.js";
import { ProgressBar } from "../parts/progress_bar.js";
import { queue } from "./store.js";
import { ask, askJson } from "../parts/server.js";
import { html, useSignal } from "../vendor/preact.js";

const PRIORITIES = ["low", "normal", "high"];
const MAX_SEED = 2 ** 32;

/** The same request with another seed. */
export const again = (job) =>
  askJson("POST", `/v1/jobs/${job.id}/duplicate`, {
    changes: { sampling: { seed: Math.floor(Math.random() * MAX_SEED) } },
  });

/** `place` counts from 1, of `count`; `lift` begins to drag it, and further attributes say how it is dragged. */
export function WaitingRow({ entry, place, count, lift, ...dragged }) {
  const busy = useSignal(false);
  const { id, batch, waiting } = entry;
  const [first] = waiting;
  const name = promptOf(first);
  const rests = first.waiting_for ? say("queue.waits_for", { what: first.waiting_for }) : "";

  async function cancel() {
    busy.value = true;
    await queue.moving;
    if (!(await ask("DELETE", batch ? `/v1/batches/${batch.id}` : `/v1/jobs/${id}`))) busy.value = false;
  }

  return html`
    <li class="o-row" data-entry=${id} data-priority=${first.priority} ...${dragged}>
      <button
        type="button"
        class="o-grip"
        aria-describedby="queue-how"
        aria-label=${say("queue.move", { name: name.slice(0, 60), place, count })}
        onPointerDown=${lift}
      >
        <${Icon} name="grip" />
      </button>
      <span class="o-num o-place">${place}</span>
      <div class="o-row-words">
        <b class="o-row-name" title=${name.slice(0, 400)}>${name}</b>
        ${
          batch
            ? html`<${Batch} ...${entry} />`
            : html`<span class="o-meta">${[rests, lineOf(first)].filter(Boolean).join(" · ")}</span>`
        }
      </div>
      <span class="o-acts">
        <select
          class="o-select"
          aria-label=${say("queue.priority", { name: name.slice(0, 60) })}
          value=${first.priority ?? "normal"}
          onChange=${({ currentTarget }) => queue.prioritise(waiting, currentTarget.value)}
        >
          ${PRIORITIES.map((value) => html`<option value=${value}>${say(`priority.${value}`)}</option>`)}
        </select>
        ${
          !batch &&
          html`<${IconButton}
            icon="copies"
            words=${say("queue.again")}
            quiet
            data-do="again"
            onClick=${() => again(first)}
          />`
        }
        <${IconButton}
          icon="close"
          words=${say("progress.cancel")}
          quiet
          class="o-bad"
          data-do="cancel"
          disabled=${busy.value}
          onClick=${cancel}
        />
      </span>
    </li>
  `;
}

// Jobs of a long batch that ended long ago are not told any more: what neither waits nor runs has ended.
function Batch({ batch, jobs, waiting }) {
  const open = jobs.filter((job) => !ended(job)).length;
  const done = batch.size - Math.max(open, waiting.length);
  return html`
    <span class="o-meta">
      ${say("queue.batch", { kind: kindOf(jobs[0]), done, size: batch.size, waiting: waiting.length })}
    </span>
    <${ProgressBar} percent=${Math.round((100 * done) / batch.size)} aria-label=${say("progress.bar")} />
    <details>
      <summary>${say("queue.jobs")}</summary>
      <ol>
        ${jobs.map(
          (job) => html`
            <li key=${job.id} data-state=${job.state}>
              <span class="o-num">${job.batch.index + 1}</span>${` ${say(`state.${job.state}`)} · ${lineOf(job)}`}
            </li>
          `,
        )}
      </ol>
    </details>
  `;
}
