// How many rows of a chunk are played before the next one takes over, how fast a rehearsal or a replay goes, how busy
// the arm should be, and how far what is seen may be from what was foreseen.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { robot } from "./link.js";
import { nextRun, plan, ROWS_PER_SECOND } from "./run.js";

function Pace() {
  const { engaged, now } = seen(robot);
  const {
    horizon,
    speed,
    mode,
    divergence_limit: limit,
    divergence_ticks: ticks,
    idle_frames: idle,
  } = (engaged && now.session.run) || nextRun.value;
  const time = (horizon / ROWS_PER_SECOND).toFixed(2);
  return html`
    <${Slider}
      name="horizon"
      value=${horizon}
      words=${horizon === 1 ? say("pace.row", { time }) : say("pace.rows", { rows: horizon, time })}
      note=${engaged ? say("pace.next") : gapless(now.summary)}
      min=${1}
      max=${32}
      step=${1}
      disabled=${engaged}
    />
    ${
      (mode === "rehearsal" || mode === "replay") &&
      html`<${Slider}
        name="speed"
        value=${speed}
        words=${say("pace.percent", { percent: Math.round(100 * speed) })}
        min=${0.1}
        max=${1}
        step=${0.05}
        disabled=${engaged}
      />`
    }
    <details class="o-world-model">
      <summary>${say("pace.world_model")}</summary>
      <${Slider}
        name="idle"
        value=${idle ?? -1}
        words=${idle == null ? say("pace.idle_open") : say("pace.idle_frames", { count: idle })}
        note=${say("pace.idle_note")}
        min=${-1}
        max=${32}
        step=${1}
        disabled=${engaged}
        put=${(value) => plan({ idle_frames: value < 0 ? null : value })}
      />
      <${Slider}
        name="limit"
        value=${limit ?? 0}
        words=${limit == null ? say("pace.limit_off") : say("pace.limit_at", { limit: limit.toFixed(2), ticks })}
        note=${say(now.tick && !now.tick.policy_predicts ? "pace.limit_blind" : "pace.limit_note")}
        min=${0}
        max=${2}
        step=${0.05}
        disabled=${engaged}
        put=${(value) => plan({ divergence_limit: value || null, foresee: value > 0 })}
      />
      ${
        limit != null &&
        html`<${Slider}
          name="ticks"
          value=${ticks}
          words=${say("pace.ticks_for", { ticks, time: (ticks / ROWS_PER_SECOND).toFixed(2) })}
          min=${1}
          max=${60}
          step=${1}
          disabled=${engaged}
          put=${(value) => plan({ divergence_ticks: value })}
        />`
      }
    </details>
  `;
}

function gapless(summary) {
  if (summary?.latency_p95_s == null) return "";
  const rows = summary.largest_gapless_horizon;
  return rows ? say("pace.gapless", { rows }) : say("pace.gaps");
}

function Slider({ name, value, words, note = "", min, max, step, disabled, put = (to) => plan({ [name]: to }) }) {
  const id = `robot-${name}`;
  return html`
    <div class="o-pace">
      <div><label for=${id}>${say(`pace.${name}`)}</label><span class="o-num">${words}</span></div>
      <input
        type="range"
        id=${id}
        min=${min}
        max=${max}
        step=${step}
        value=${value}
        aria-valuetext=${words}
        disabled=${disabled}
        style=${{ "--range_progress": `${(100 * (value - min)) / (max - min)}%` }}
        onInput=${({ currentTarget }) => put(Number(currentTarget.value))}
      />
      <small>${note}</small>
    </div>
  `;
}

define("o-robot-pace", Pace);
