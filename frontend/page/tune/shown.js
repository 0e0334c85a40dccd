// The tuning that is looked at: what it is, how far, what can be done with it, and below that report, curves and saves.

import { duration, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { ProgressBar } from "../parts/progress_bar.js";
import { confirmed } from "../parts/sure.js";
import { html } from "../vendor/preact.js";
import { Curves } from "./curves.js";
import { Report } from "./report.js";
import { Saves } from "./saves.js";
import { tuning as store } from "./store.js";

const OPEN = ["waiting", "running"];
const TONES = { running: "accent", succeeded: "good", failed: "bad" };

export function Shown({ tuning }) {
  const points = seen(store).points[tuning.id] ?? [];
  const { report, saves, state } = tuning;
  return html`
    <${Standing} tuning=${tuning} />
    ${points.length > 1 && html`<${Curves} id=${tuning.id} points=${points} saves=${saves} />`}
    ${saves.length > 0 && html`<${Saves} tuning=${tuning} />`}
    ${report && html`<${Report} id=${tuning.id} report=${report} />`}
    ${state === "checking" && !report && html`<p class="o-hint" role="status">${say("tune.checking")}</p>`}
  `;
}

function Standing({ tuning }) {
  const { id, recipe, progress, error } = tuning;
  const { state } = progress;
  const act = (verb) => () => store.act(id, verb);
  const remove = async () => {
    if (await confirmed(say("tune.sure"), say("tune.sure_yes"), say("tune.sure_no"))) store.remove(id);
  };
  const data = recipe.task === "reasoner" ? recipe.data.map((one) => one.data).join(", ") : recipe.data;
  const learns = recipe.lora ? say("tune.lora_of", { rank: recipe.lora.rank }) : say("tune.learns_all");
  return html`
    <section class="o-card-plain o-tune-standing" aria-label=${recipe.name} data-state=${state}>
      <header>
        <h2>${recipe.name}</h2>
        <span class="o-badge" data-tone=${TONES[state]}>${say(`tune.state_${state}`)}</span>
        <span class="o-grow" />
        ${state === "checked" && !error && html`<button type="button" class="o-btn o-primary" data-do="start-checked" onClick=${act("start")}>${say("tune.start")}</button>`}
        ${state === "running" && html`<${IconButton} icon="bookmark" words=${say("tune.save_now")} data-do="save" onClick=${act("save")} />`}
        ${OPEN.includes(state) && html`<${IconButton} icon="pause" words=${say("tune.stop")} data-do="stop" onClick=${act("stop")} />`}
        ${(state === "stopped" || state === "failed") && html`<${IconButton} icon="again" words=${say("tune.resume")} data-do="resume" onClick=${act("resume")} />`}
        <a
          class="o-btn o-quiet"
          href=${recipeFile(tuning)}
          download=${`${recipe.name}.recipe.json`}
          title=${say("tune.recipe_hint")}
        >
          ${say("tune.recipe")}
        </a>
        ${!OPEN.includes(state) && html`<${IconButton} icon="trash" words=${say("tune.remove")} quiet data-do="remove" onClick=${remove} />`}
      </header>
      <p class="o-hint">
        ${[say(`tune.task_${recipe.task}`), tuning.checkpoint_title, data, learns, tuning.device].filter(Boolean).join(" · ")}
      </p>
      ${OPEN.includes(state) && html`<${Progress} progress=${progress} />`}
      ${!OPEN.includes(state) && progress.step > 0 && html`<p class="o-tune-facts">${factsOf(progress, tuning.spent_s)}</p>`}
      ${
        error &&
        html`<p class="o-fault" role="alert"><b>${error.message}</b>${error.hint && html`<span>${error.hint}</span>`}</p>`
      }
    </section>
  `;
}

function Progress({ progress }) {
  const { step, steps, doing, done, total, waits_for: waits } = progress;
  const says = waits
    ? say("tune.waits_for", { what: waits })
    : doing
      ? say("tune.doing", { doing, done, total })
      : factsOf(progress);
  const share = doing ? done / Math.max(total, 1) : step / steps;
  return html`
    <div class="o-tune-progress">
      <p role="status" class="o-tune-facts">${says}</p>
      <${ProgressBar} percent=${Math.round(100 * share)} aria-label=${say("tune.progress")} />
    </div>
  `;
}

function factsOf({ step, steps, eta_s: eta, seconds_per_step: pace, loss }, spent) {
  return [
    say("tune.steps_done", { step, steps }),
    eta !== null && eta > 0 && !spent && say("tune.left", { time: duration(eta) }),
    spent > 0 && say("tune.spent", { time: duration(spent) }),
    pace !== null && say("tune.pace", { time: pace < 1 ? `${Math.round(pace * 1000)} ms` : duration(pace) }),
    loss !== null && say("tune.loss_now", { loss: loss.toFixed(4) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

const recipeFile = ({ recipe, evaluates_saves }) =>
  `data:application/json,${encodeURIComponent(JSON.stringify({ recipe, evaluates_saves }, null, 1))}`;
