// The tunings, newest first: how far each is.

import { duration, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { live } from "../data/live.js";
import { Listed, showMain } from "../parts/columns.js";
import { Meter } from "../parts/progress_bar.js";
import { html } from "../vendor/preact.js";
import { tuning } from "./store.js";

export function Tunings() {
  const { tunings, chosen } = seen(tuning);
  seen(live);
  if (!tunings.length) return null;
  return html`
    <${Listed} title=${say("tune.tunings")}>
      ${tunings.map((one) => html`<${Row} key=${one.id} one=${one} chosen=${one.id === chosen} />`)}
    <//>
  `;
}

function Row({ one, chosen }) {
  const progress = tuning.progressOf(one);
  const running = progress.state === "running";
  const says = [
    say(`tune.state_${progress.state}`),
    progress.step > 0 && say("tune.steps_done", progress),
    running && progress.eta_s !== null && say("tune.left", { time: duration(progress.eta_s) }),
  ];
  const look = () => {
    tuning.choose(one.id);
    showMain();
  };
  return html`
    <li data-tuning=${one.id} data-state=${progress.state}>
      <button
        type="button"
        class="o-listed-row"
        aria-current=${chosen ? "true" : null}
        onClick=${look}
      >
        <b>${one.recipe.name}</b><span>${say(`tune.task_${one.recipe.task}`)} · ${one.checkpoint_title}</span>
        <small>${says.filter(Boolean).join(" · ")}</small>
        ${running && html`<${Meter} share=${progress.step / progress.steps} aria-label=${say("tune.progress")} />`}
        ${one.error && html`<small class="o-bad-words">${one.error.message}</small>`}
      </button>
    </li>
  `;
}
