// The runs, newest first: how far each is, and what can be done with it.

import { counted, duration, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { Meter } from "../parts/progress_bar.js";
import { confirmed } from "../parts/sure.js";
import { html } from "../vendor/preact.js";
import { figure, titleOfMetric } from "./figures.js";
import { evaluation } from "./store.js";

const NARROW = "(max-width: 860px)";

export function Runs() {
  const { runs, chosen } = seen(evaluation);
  if (!runs.length) return null;
  return html`
    <section class="o-card-plain o-evaluate-runs" aria-label=${say("evaluate.runs")}>
      <h2>${say("evaluate.runs")}</h2>
      <ul role="list">
        ${runs.map((run) => html`<${Run} key=${run.id} run=${run} chosen=${chosen.includes(run.id)} />`)}
      </ul>
    </section>
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
  // On a narrow page the scores stand below the runs.
  const look = () => {
    evaluation.choose(id);
    if (matchMedia(NARROW).matches) document.querySelector(".o-evaluate-main").scrollIntoView();
  };
  const remove = async () => {
    if (await confirmed(say("evaluate.sure"), say("evaluate.sure_yes"), say("evaluate.sure_no"))) evaluation.remove(id);
  };
  return html`
    <li data-run=${id} data-state=${state}>
      <label class="o-evaluate-tick" title=${say("evaluate.beside")}>
        <input
          type="checkbox"
          checked=${chosen}
          aria-label=${say("evaluate.beside_one", { title })}
          onChange=${() => evaluation.choose(id, true)}
        />
      </label>
      <button type="button" class="o-evaluate-run" aria-current=${chosen ? "true" : null} onClick=${look}>
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
