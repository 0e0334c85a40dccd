// The card of the job on the stage: how far it is, and what can be done with it.

import { statusOf } from "../data/checkpoint.js";
import { duration, say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { fileName, meta, percent, secondsTaken, shownResults, timeLeft } from "../data/jobs.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { define, useAttributes } from "../parts/element.js";
import { CopyButtons } from "../form/copies.js";
import { Popover } from "../parts/popover.js";
import { ProgressBar } from "../parts/progress_bar.js";
import { useAgain } from "../parts/reuse.js";
import { ask } from "../parts/server.js";
import { Verdict } from "../parts/verdict.js";
import { html, useLayoutEffect, useSignal } from "../vendor/preact.js";
import { selection } from "./selection.js";
import { canGo, SendTo } from "../media/send_to.js";

/** Which buttons a job in a state has. */
const ACTIONS = {
  queued: ["cancel"],
  running: ["keep", "cancel"],
  succeeded: ["use", "download"],
  failed: ["use", "retry"],
  cancelled: ["use", "retry"],
};

function Progress({ element }) {
  const orders = useSignal({}); // job id → "keep" or "cancel": clicked, not yet true
  const { state } = seen(live);
  const { index } = seen(selection);
  const job = selection.job(state);
  const order = orders.value[job?.id];
  const end = job?.finished_at;
  useAttributes(element, { "data-state": job?.state ?? "idle", "data-job": job?.id ?? "" });
  useLayoutEffect(() => {
    if (end) orders.value = { ...orders.value, [job.id]: null }; // it may be tried again
  }, [job?.id, end]);
  if (!job)
    return html`
      <div class="o-between"><b role="status">${say("progress.idle")}</b><span class="o-num" /></div>
      <${ProgressBar} percent="0" aria-label=${say("progress.bar")} />
      <div class="o-between"><span class="o-meta">${say("progress.idle_meta")}</span><span class="o-buttons" /></div>
    `;

  const results = seen(lost) && shownResults(job);
  const result = results[Math.min(index, results.length - 1)];
  const can = (name) => ACTIONS[job.state].includes(name);

  async function tell(name, method, path) {
    if (orders.value[job.id] === name) return; // a second press, before the first was drawn
    orders.value = { ...orders.value, [job.id]: name };
    if (await ask(method, `/v1/jobs/${job.id}${path}`)) return;
    orders.value = { ...orders.value, [job.id]: null };
  }
  const button = (name, act, more = {}) =>
    can(name) &&
    html`<button type="button" class="o-btn" data-do=${name} disabled=${Boolean(order)} onClick=${act} ...${more}>
      ${say(`progress.${name}`)}${name === "cancel" && html`<kbd>Esc</kbd>`}
    </button>`;

  return html`
    <div class="o-between">
      <b role="status">${phaseOf(job, order, state)}</b>
      <${Verdict} job=${job} />
      <span class="o-num">${numbersOf(job)}</span>
    </div>
    <${ProgressBar} percent=${job.state === "succeeded" ? 100 : percent(job)} aria-label=${say("progress.bar")} />
    <div class="o-between">
      <span class="o-meta">${meta(job)}</span>
      <span class="o-buttons">
        ${result && canGo(result, job.request) && html`<${SendTo} key=${result.id} result=${result} request=${job.request} up />`}
        ${button("keep", () => tell("keep", "POST", "/stop"))}
        ${button("cancel", () => tell("cancel", "DELETE", ""), {
          class: "o-btn o-bad",
          "data-hot": "cancel",
          "aria-keyshortcuts": "Escape",
        })}
        ${
          can("use") &&
          html`<${Popover} up label=${say("copy.label")} face=${say("copy.label")} data-do="copy">
            ${(close) => html`<${CopyButtons} request=${() => whatRan(job, result)} class="o-row" copied=${close} />`}
          <//>`
        }
        ${button("use", () => useAgain(job.request, job.checkpoint))}
        ${button("retry", () => {
          selection.ask([job.id]);
          ask("POST", `/v1/jobs/${job.id}/retry`);
        })}
        ${
          result &&
          can("download") &&
          html`<a class="o-btn" data-do="download" download=${fileName(result)} href=${result.url}>
            ${say("progress.download")}
          </a>`
        }
      </span>
    </div>
  `;
}

/** The request of a job as it ran: its checkpoint is named, and of several results the seed is that of this one. */
function whatRan({ request, checkpoint }, result) {
  const seed = result?.seed ?? request.sampling.seed;
  return {
    ...request,
    checkpoint,
    ...(result && request.count > 1 ? { count: 1 } : {}),
    sampling: { ...request.sampling, seed },
  };
}

function phaseOf(job, order, state) {
  if (job.state === "queued") {
    const { state: at, title = job.checkpoint } = statusOf(state.system, job.checkpoint) ?? {};
    if (job.waiting_for) return say("progress.held", { title: job.waiting_for });
    if (at !== "ready") return say("progress.held", { title });
    return say("progress.waiting");
  }
  if (job.state === "running") {
    if (order) return say(order === "keep" ? "progress.stopping" : "progress.cancelling");
    if (job.waiting_for) return say("progress.held", { title: job.waiting_for });
    return say(`progress.${job.progress.phase}`);
  }
  return say(job.state === "succeeded" && job.stopped_at_step != null ? "progress.stopped" : `progress.${job.state}`);
}

function numbersOf(job) {
  const { step, steps } = job.progress;
  const left = job.state === "running" ? timeLeft(job) : "";
  const took =
    job.state === "succeeded" && job.finished_at ? say("progress.took", { time: duration(secondsTaken(job)) }) : "";
  return [job.state === "queued" ? "" : say("progress.step", { step, steps }), left, took].filter(Boolean).join(" · ");
}

define("o-progress", Progress);
