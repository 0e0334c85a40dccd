// The instruction and how it is carried out; start, another instruction, finish.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Choice } from "../parts/choice.js";
import { define } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { robot } from "./link.js";
import { nextRun, plan, ROWS_PER_SECOND } from "./run.js";
import { start, TrialCount, Trials } from "./trials.js";

const STOPS_AFTER_S = 5; // as the loop does
const MODES = ["live", "rehearsal", "shadow", "approve", "step", "replay"];

function Task() {
  const { engaged, mine, busy, standing, now } = seen(robot);
  const next = nextRun.value;
  const current = now.session?.run;
  const mode = (engaged && current?.mode) || next.mode;
  const watching = engaged && !mine; // who watches reads what the arm was told
  const unpicked = next.mode === "replay" && next.episode === null;
  const send = () => robot.tell("instruct", { prompt: nextRun.value.prompt });
  // With keys, so that no button becomes another one under a finger.
  const button = (name, disabled, act, more = {}) => html`
    <button key=${name} type="button" class="o-btn" data-do=${name} disabled=${disabled} onClick=${act} ...${more}>
      ${say(`robot.${name}`)}
    </button>
  `;
  return html`
    <div class="o-say">
      <input
        type="text"
        class="o-select"
        id="robot-prompt"
        maxlength="4096"
        autocomplete="off"
        aria-label=${say("robot.prompt")}
        placeholder=${say("robot.prompt_empty")}
        readonly=${watching}
        value=${watching ? (current?.prompt ?? "") : next.prompt}
        onInput=${({ currentTarget }) => plan({ prompt: currentTarget.value })}
        onKeyDown=${(event) => event.key === "Enter" && robot.engaged && !event.ctrlKey && !event.metaKey && send()}
      />
      <div class="o-go-orders">
        ${
          engaged
            ? [
                button("send", !mine || mode === "replay" || next.prompt === current?.prompt, send, {
                  "data-hot": "submit",
                }),
                button("finish", !mine, () => robot.tell("finish")),
              ]
            : button("start", !mine || Boolean(busy) || standing !== "ready" || unpicked, start, {
                class: "o-btn o-primary o-go-run",
                "data-hot": "submit",
              })
        }
      </div>
    </div>
    ${standing === "ready" && (mode === "live" || mode === "rehearsal") && html`<${TooSlow} ...${next} summary=${now.summary} />`}
    <div class="o-how">
      <b id="robot-mode">${say("robot.mode")}</b>
      <${Modes} mode=${mode} engaged=${engaged} />
      <small>${meaning(mode, current?.episode ?? next.episode)}</small>
      <button
        type="button"
        class="o-btn o-record"
        data-do="record"
        aria-pressed=${String(next.record)}
        disabled=${engaged}
        onClick=${() => plan({ record: !nextRun.value.record })}
      >
        <i />${say("robot.record")}
      </button>
      <${TrialCount} disabled=${engaged} />
    </div>
    <${Trials} />
  `;
}

/** Before the start: what a policy that answers too slowly will do to the run, and what would work. */
function TooSlow({ horizon, speed, mode, summary }) {
  const latency = summary?.latency_p95_s;
  const gapless = summary?.largest_gapless_horizon;
  if (latency == null || gapless >= horizon) return null;
  const time = say("robot.seconds", { seconds: latency.toFixed(1) });
  const rows = horizon / (ROWS_PER_SECOND * (mode === "rehearsal" ? speed : 1));
  const stops = latency > STOPS_AFTER_S;
  const lasts = say("robot.seconds", { seconds: rows.toFixed(1) });
  return html`
    <p class="o-too-slow" role="status">
      ${stops ? say("slow.stops", { time }) : say("slow.pauses", { time, rows: horizon, lasts })}
      ${
        !stops &&
        gapless > 0 &&
        html`<button type="button" class="o-btn o-fix" onClick=${() => plan({ horizon: gapless })}>
          ${say("slow.horizon", { rows: gapless })}
        </button>`
      }
      <button type="button" class="o-btn o-fix" onClick=${() => plan({ mode: "approve" })}>
        ${say("slow.approve")}
      </button>
    </p>
  `;
}

const Modes = ({ mode, engaged }) => html`
  <${Choice}
    aria-labelledby="robot-mode"
    mark="data-mode"
    options=${MODES.map((one) => ({ value: one, title: say(`mode.${one}`) }))}
    value=${mode}
    choose=${(one) => plan({ mode: one })}
    fixed=${engaged}
  />
`;

function meaning(mode, episode) {
  if (mode !== "replay") return say(`means.${mode}`);
  return episode === null ? say("means.unpicked") : say("means.replay", { episode });
}

define("o-robot-task", Task);
