// A reasoner that works on a study: which one, its start, and how far the ones before are.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { Meter } from "../parts/progress_bar.js";
import { html, useSignal } from "../vendor/preact.js";
import { hue } from "./store.js";

/** `task` is "questions" or "ratings"; `go` and `hint` are what the button and the line below it say. */
export function HueWork({ study, task, go, hint, disabled = false }) {
  const { reasoners } = seen(hue);
  const chosen = useSignal("");
  const reasoner = chosen.value || reasoners[0]?.name;
  const tasks = study.tasks.filter((one) => one.task === task);
  return html`
    <div class="o-hue-work">
      <div class="o-acts o-hue-line">
        <select
          class="o-select"
          aria-label=${say("hue.reasoner")}
          value=${reasoner}
          onChange=${({ target }) => (chosen.value = target.value)}
        >
          ${reasoners.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}
        </select>
        <button
          type="button"
          class="o-btn"
          data-do=${`work-${task}`}
          disabled=${disabled || !reasoner}
          onClick=${() => hue.work("", task, reasoner)}
        >
          ${go}
        </button>
        <span class="o-hint">${hint}</span>
      </div>
      ${tasks.map((one) => html`<${Task} key=${one.reasoner} task=${one} />`)}
    </div>
  `;
}

function Task({ task }) {
  const { state, reasoner, reasoner_title: title, num_done: done, num_planned: planned, num_failed: failed } = task;
  const running = state === "running";
  const told = [
    say(`hue.task_${task.task}`, { reasoner: title, done, planned }),
    say(`hue.state_${state}`),
    failed > 0 && counted("hue.task_failed", failed),
    task.error?.message,
  ];
  return html`
    <div class="o-acts o-hue-line" data-state=${state}>
      <small role=${running ? "status" : null}>${told.filter(Boolean).join(" · ")}</small>
      ${running && html`<${Meter} share=${planned ? done / planned : 0} aria-label=${say("hue.progress")} />`}
      ${
        running &&
        html`<${IconButton}
          icon="close"
          words=${say("hue.stop")}
          quiet
          onClick=${() => hue.work("/stop", task.task, reasoner)}
        />`
      }
    </div>
  `;
}
