// The runs, newest first: how far each is, and what can be done with it.

import { counted, duration, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Listed, showMain } from "../parts/columns.js";
import { IconButton } from "../parts/icons.js";
import { Meter } from "../parts/progress_bar.js";
import { confirmed } from "../parts/sure.js";
import { html } from "../vendor/preact.js";
import { figure, titleOfMetric } from "./figures.js";
import { evaluation } from "./store.js";

export function Runs() {
  const { runs, chosen } = seen(evaluation);
  if (!runs.length) return null;
  return html`
    <${Listed} title=${say("evaluate.runs")}>
      ${runs.map((run) => html`<${Run} key=${run.id} run=${run} chosen=${chosen.includes(run.id)} />`)}
    <//>
  `;
}

function Run({ run, chosen }) {
  const { id, title, benchmark_title: benchmark, state, num_planned: planned, headline } = run;
  const done = run.num_answered + run.num_failed;
  const running = state === "running";
  const says = [
    say(`evaluate.state_${state}`),
    say("evaluate.done", { done, planned }),
    running && run.eta_s !== null && say("evaluate.left", { time: duration(run.eta_s) }),
    run.num_failed > 0 && counted("evaluate.failed", run.num_failed),
    headline && `${titleOfMetric(headline.metric)} ${figure(headline.metric, headline.value)}`,
  ];
  const look = () => {
    evaluation.choose(id);
    showMain();
  };
  const remove = async () => {
    if (await confirmed(say("evaluate.sure"), say("evaluate.sure_yes"), say("evaluate.sure_no"))) evaluation.remove(id);
  };
  return html`
    <li data-run=${id} data-state=${state}>
      <label title=${say("evaluate.beside")}>
        <input
          type="checkbox"
          checked=${chosen}
          aria-label=${say("evaluate.beside_one", { title })}
          onChange=${() => evaluation.choose(id, true)}
        />
      </label>
      <button type="button" class="o-listed-row" aria-current=${chosen ? "true" : null} onClick=${look}>
        <b>${title}</b><span>${benchmark}</span>
        <small role=${running ? "status" : null}>${says.filter(Boolean).join(" · ")}</small>
        ${running && html`<${Meter} share=${done / planned} aria-label=${say("evaluate.progress")} />`}
        ${run.error && html`<small class="o-bad-words">${run.error.message}</small>`}
      </button>
      ${
        running
          ? html`<${IconButton}
              icon="close"
              words=${say("evaluate.stop")}
              quiet
              data-do="stop"
              onClick=${() => evaluation.act(id, "stop")}
            />`
          : html`
              ${
                (run.form === "generation" || (run.num_answered < planned && run.form !== "policy")) &&
                html`<${IconButton}
                  icon="again"
                  words=${say(run.num_answered < planned ? "evaluate.resume" : "evaluate.measure")}
                  quiet
                  data-do="resume"
                  onClick=${() => evaluation.act(id, "resume")}
                />`
              }
              <${IconButton} icon="trash" words=${say("evaluate.remove")} quiet data-do="remove" onClick=${remove} />
            `
      }
    </li>
  `;
}
