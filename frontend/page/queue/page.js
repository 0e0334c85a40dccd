// The queue of every page and every device: what runs, what waits in which order, what ended last.

import { toast } from "../parts/errors.js";
import { counted, duration, say } from "../data/facts.js";
import { define } from "../parts/element.js";
import { IconButton } from "../parts/icons.js";
import { notify } from "../frame/notify.js";
import { EndedBatch, EndedRow } from "./ended.js";
import { WaitingList } from "./list.js";
import { RunningRow } from "./running.js";
import { queue } from "./store.js";
import { ask } from "../parts/server.js";
import { confirmed } from "../parts/sure.js";
import { seen } from "../data/store.js";
import { html, useLayoutEffect, useSignal } from "../vendor/preact.js";

const ENDED_SHOWN = 30;

function Queue({ element }) {
  const { known, status } = seen(queue);
  useLayoutEffect(() => {
    if (status.paused) element.dataset.paused = "true";
    else delete element.dataset.paused;
  }, [status.paused]);
  if (!known) return null;
  const [runs, waits, done] = [queue.running(), queue.entries(), queue.ended(ENDED_SHOWN)];
  const list = (name, rows) => html`<ul class="o-rows" role="list" aria-label=${say(`queue.${name}`)}>${rows}</ul>`;
  const section = (name, content) => html`
    <section class="o-queue-section"><h2>${say(`queue.${name}`)}</h2>${content}</section>
  `;
  const running = runs.map((job) => html`<${RunningRow} key=${job.id} job=${job} />`);
  const ended = done.map((entry) =>
    entry.jobs
      ? html`<${EndedBatch} key=${entry.id} ...${entry} />`
      : html`<${EndedRow} key=${entry.id} job=${entry} />`,
  );
  return html`
    <${Bar} ...${status} running=${runs.length} />
    ${running.length > 0 && section("running", list("running", running))}
    ${waits.length > 0 && section("waiting", html`<${WaitingList} entries=${waits} />`)}
    ${
      runs.length + waits.length === 0 &&
      html`<div class="o-empty"><b>${say("queue.empty")}</b><p>${say("queue.empty_hint")}</p></div>`
    }
    ${ended.length > 0 && section("ended", list("ended", ended))}
  `;
}

function Bar({ paused, full, num_queued: waiting, seconds_left: left, running }) {
  const busy = useSignal(false);
  const { state: tells } = seen(notify);
  const time = left ? say("queue.left", { time: duration(left) }) : "";

  async function pause() {
    busy.value = true;
    await queue.pause(!paused);
    busy.value = false;
  }
  return html`
    <div class="o-queue-bar">
      <div class="o-queue-lead">
        <b role="status">${say("header.queue", { running, waiting })}</b>
        <span class="o-hint">${paused ? say("queue.paused_hint") : full ? say("queue.full_hint") : time}</span>
      </div>
      ${
        tells !== "none" &&
        html`<${IconButton}
          icon="bell"
          words=${say(`notify.${tells}`)}
          data-do="notify"
          aria-pressed=${String(tells === "on")}
          disabled=${tells === "denied"}
          onClick=${() => notify.toggle()}
        />`
      }
      ${
        waiting > 0 &&
        html`<${IconButton} icon="close" words=${say("queue.clear")} class="o-bad" data-do="clear" onClick=${clear} />`
      }
      <${IconButton}
        icon=${paused ? "play" : "pause"}
        words=${say(paused ? "queue.resume" : "queue.pause")}
        data-do="pause"
        aria-pressed=${String(Boolean(paused))}
        disabled=${busy.value}
        onClick=${pause}
      />
    </div>
  `;
}

async function clear() {
  const sure = counted("queue.sure", queue.status.num_queued);
  if (!(await confirmed(sure, say("queue.sure_yes"), say("sure.no")))) return;
  const waited = queue.status.num_queued;
  const left = await ask("DELETE", "/v1/queue");
  if (left) toast(counted("queue.cleared", Math.max(0, waited - left.num_queued)));
}

define("o-queue", Queue);
