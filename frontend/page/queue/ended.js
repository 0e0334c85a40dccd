// What has ended: a job with what it made or why it did not, and a batch with all that it made and its jobs behind a
// fold.

import { download } from "../parts/archive.js";
import { duration, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { Fixes } from "../parts/fixes.js";
import { allGone, remaining } from "../data/gone.js";
import { Icon, IconButton } from "../parts/icons.js";
import { kindOf, lineOf, promptOf } from "../data/job_words.js";
import { clock, secondsTaken } from "../data/jobs.js";
import { again } from "./waiting.js";
import { useAgain } from "../parts/reuse.js";
import { ask } from "../parts/server.js";
import { Verdict } from "../parts/verdict.js";
import { html, useSignal } from "../vendor/preact.js";

const Picture = ({ icon, src }) => html`
  <span class="o-row-picture">
    <${Icon} name=${icon} size=${20} />${src && html`<img alt="" loading="lazy" src=${src} />`}
  </span>
`;

export function EndedRow({ job }) {
  const [result] = remaining(job);
  const gone = allGone(job);
  const name = promptOf(job);
  const succeeded = job.state === "succeeded";
  const took = succeeded && job.started_at ? say("progress.took", { time: duration(secondsTaken(job)) }) : "";
  return html`
    <li class="o-row" data-job=${job.id} data-state=${job.state} data-deleted=${gone ? "" : null}>
      <${Picture} icon="curve" src=${result?.thumbnail_url} />
      <div class="o-row-words">
        <a
          class="o-row-name"
          title=${name.slice(0, 400)}
          href=${result ? `/library?item=${encodeURIComponent(result.id)}` : null}
          >${name}</a
        >
        <span class="o-meta">
          ${faultWords(job.error) || [clock(job), took, lineOf(job)].filter(Boolean).join(" · ")}
        </span>
        ${
          job.state === "failed" &&
          html`<div class="o-row-fixes">
            <${Fixes}
              error=${job.error}
              request=${job.request}
              take=${(values) => useAgain({ ...job.request, ...values }, job.checkpoint)}
            />
          </div>`
        }
      </div>
      <span class="o-acts">
        <${Verdict} job=${job} />
        <span class="o-state">${say(gone ? "media.deleted" : `state.${job.state}`)}</span>
        ${
          !succeeded &&
          html`<${IconButton}
            icon="again"
            words=${say("progress.retry")}
            data-do="retry"
            onClick=${() => ask("POST", `/v1/jobs/${job.id}/retry`)}
          />`
        }
        <${IconButton} icon="copies" words=${say("queue.again")} quiet data-do="again" onClick=${() => again(job)} />
      </span>
    </li>
  `;
}

export function EndedBatch({ id, batch, jobs }) {
  const open = useSignal(false);
  const busy = useSignal(false);
  const [first] = jobs;
  const succeeded = jobs.filter((job) => job.state === "succeeded");
  const failed = jobs.filter((job) => job.state === "failed");
  const results = jobs.flatMap(remaining);
  const seconds = succeeded.reduce((sum, job) => sum + secondsTaken(job), 0);
  const words = [
    say("queue.batch_ended", { kind: kindOf(first), done: succeeded.length, size: batch.size }),
    failed.length ? say("queue.batch_failed", { count: failed.length }) : "",
    succeeded.length ? say("progress.took", { time: duration(seconds) }) : "",
  ];

  async function retry() {
    busy.value = true;
    for (const job of failed) await ask("POST", `/v1/jobs/${job.id}/retry`);
    busy.value = false;
  }

  // A batch may have a thousand jobs: nothing is drawn of them before somebody looks.
  return html`
    <li class="o-row" data-batch=${id}>
      <${Picture} icon="copies" src=${results.find((result) => result.thumbnail_url)?.thumbnail_url} />
      <div class="o-row-words">
        <b class="o-row-name" title=${promptOf(first).slice(0, 400)}>${promptOf(first)}</b>
        <span class="o-meta">${words.filter(Boolean).join(" · ")}</span>
        ${
          results.length > 0 &&
          html`<a class="o-link" href=${`/library?batch=${encodeURIComponent(id)}`}>${say("queue.batch_library")}</a>`
        }
        <details onToggle=${({ currentTarget }) => (open.value = currentTarget.open)}>
          <summary>${say("queue.jobs")}</summary>
          <ul class="o-rows" role="list">
            ${open.value && jobs.map((job) => html`<${EndedRow} key=${job.id} job=${job} />`)}
          </ul>
        </details>
      </div>
      <span class="o-acts">
        ${
          failed.length > 0 &&
          html`<${IconButton}
            icon="again"
            words=${say("queue.batch_retry")}
            data-do="retry"
            disabled=${busy.value}
            onClick=${retry}
          />`
        }
        ${
          results.length > 0 &&
          html`<${IconButton}
            icon="download"
            words=${say("queue.batch_zip")}
            quiet
            data-do="zip"
            onClick=${() => download(results.map((result) => result.id))}
          />`
        }
      </span>
    </li>
  `;
}
