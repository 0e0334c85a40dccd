// A judge for texts: chosen, calibrated on known pairs, and how far it is.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { useAnswer } from "../parts/server.js";
import { html, useSignal } from "../vendor/preact.js";
import { evaluation } from "./store.js";

const JUDGED = ["text", "fields"];

export function Judging({ runs }) {
  const [run] = runs;
  const { reasoners, judges } = seen(evaluation);
  const chosen = useSignal("");
  const work = useAnswer(
    `/v1/runs/${run.id}`,
    `${run.id} ${JSON.stringify(evaluation.scores[run.id]?.overall.counts)}`,
  );
  if (runs.length !== 1 || !JUDGED.includes(run.form) || run.state === "running") return null;
  const judge = chosen.value || reasoners[0]?.name;
  const known = judges.find((one) => one.judge === judge);
  const judging = work?.judging;
  return html`
    <div class="o-acts o-evaluate-judge">
      <label>
        <span>${say("evaluate.judge")}</span>
        <select class="o-select" value=${judge} onChange=${({ target }) => (chosen.value = target.value)}>
          ${reasoners.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}
        </select>
      </label>
      <button
        type="button"
        class="o-btn"
        data-do="judge"
        onClick=${() => evaluation.act(run.id, "verdicts", { judge, anyway: known?.trust === "refuse" })}
      >
        ${say(known?.trust === "refuse" ? "evaluate.judge_anyway" : "evaluate.judge_go")}
      </button>
      <span class="o-hint" role="status">
        ${known && say(`evaluate.trust_${known.trust}`, { right: known.num_right, pairs: known.num_pairs })}
        ${judging && !judging.error && say("evaluate.judged", { done: judging.num_done, planned: judging.num_planned })}
        ${judging?.error?.message}
      </span>
    </div>
  `;
}
