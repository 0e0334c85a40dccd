// A job that runs: what it sees so far, how far it is, and the two ways to end it.

import { say } from "../data/facts.js";
import { lineOf, promptOf } from "../data/job_words.js";
import { percent, timeLeft } from "../data/jobs.js";
import { live } from "../data/live.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { ProgressBar } from "../parts/progress_bar.js";
import { ask } from "../parts/server.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";

export function RunningRow({ job }) {
  const canvas = useRef(null);
  const busy = useSignal("");

  useEffect(() => {
    const topic = `preview/${job.id}`;
    const preview = new PictureCanvas(canvas.current);
    const hear = ({ detail }) => detail.topic === topic && preview.show(detail.image);
    const unwant = live.want(topic);
    live.addEventListener("frame", hear);
    return () => {
      unwant();
      live.removeEventListener("frame", hear);
    };
  }, [job.id]);

  const button = (name, style, method, path) => html`
    <button
      type="button"
      class=${style}
      data-do=${name}
      disabled=${busy.value === name}
      onClick=${async () => {
        busy.value = name;
        if (!(await ask(method, path))) busy.value = "";
      }}
    >
      ${say(`progress.${name}`)}
    </button>
  `;
  const name = promptOf(job);
  const { step, steps, phase } = job.progress;
  const doing = job.waiting_for ? say("queue.rests", { what: job.waiting_for }) : say(`progress.${phase}`);
  const place = job.batch ? say("queue.of_batch", { index: job.batch.index + 1, size: job.batch.size }) : "";
  return html`
    <li class="o-row o-row-running" data-job=${job.id}>
      <span class="o-row-picture">
        <canvas ref=${canvas} role="img" aria-label=${say("stage.preview")} width="8" height="6" />
      </span>
      <div class="o-row-words">
        <div class="o-between">
          <b class="o-row-name" title=${name.slice(0, 400)}>${name}</b>
          <span class="o-num">
            ${[doing, say("progress.step", { step, steps }), timeLeft(job)].filter(Boolean).join(" · ")}
          </span>
        </div>
        <${ProgressBar} percent=${percent(job)} aria-label=${say("progress.bar")} />
        <div class="o-between">
          <span class="o-meta">${[place, lineOf(job)].filter(Boolean).join(" · ")}</span>
          <span class="o-acts">
            ${button("keep", "o-btn", "POST", `/v1/jobs/${job.id}/stop`)}
            ${button("cancel", "o-btn o-bad", "DELETE", `/v1/jobs/${job.id}`)}
          </span>
        </div>
      </div>
    </li>
  `;
}
