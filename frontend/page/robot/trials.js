// After a recorded run: whether it succeeded. Several trials follow each other, each on the next seed's table, as long
// as the person in control says how the last one went.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { NumberField } from "../parts/number_field.js";
import { html, signal, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { robot } from "./link.js";
import { listEpisodes } from "../data/recordings.js";
import { nextRun, plan, runToStart } from "./run.js";

const LOOK_MS = 1000; // an episode is written for a while after its run
const MOST = 100;

const series = signal(null); // { trial, of } while several are on

const newest = async () => (await listEpisodes(robot.name).catch(() => null))?.episodes.at(-1)?.index ?? -1;

const isSimulated = ({ summary }) => summary?.scene_seed != null;

/** The order to start, of one run or of the first of several. */
export function start() {
  const { trials, record } = nextRun.value;
  series.value = record && trials > 1 && isSimulated(robot.now) ? { trial: 1, of: trials } : null;
  robot.tell("start", { run: runToStart() });
}

/** How many trials the next start begins. */
export function TrialCount({ disabled }) {
  const { now } = seen(robot);
  if (!isSimulated(now) || !nextRun.value.record) return null;
  return html`
    <label class="o-trials o-inline">
      ${say("trials.count")}
      <${NumberField}
        min="1"
        max=${MOST}
        step="1"
        value=${nextRun.value.trials}
        disabled=${disabled}
        take=${(text) => plan({ trials: Math.min(Math.max(Math.round(Number(text)) || 1, 1), MOST) })}
      />
    </label>
  `;
}

export function Trials() {
  const { engaged, mine, busy, standing, now } = seen(robot);
  const ended = useSignal(null); // the episode that is asked about
  const before = useRef(null); // the newest episode when a recorded run began
  const starting = useSignal(false); // the next trial, once the arm is back
  const recorded = engaged && mine && now.session.run?.record;
  const seed = now.summary?.scene_seed;

  useEffect(() => {
    if (recorded) {
      ended.value = null;
      newest().then((index) => (before.current = index));
      return;
    }
    if (engaged || before.current === null) return;
    const timer = setInterval(async () => {
      const index = await newest();
      if (before.current === null || index <= before.current) return;
      before.current = null;
      ended.value = index;
      clearInterval(timer);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [recorded]);

  useEffect(() => {
    if (!starting.value || standing !== "ready" || busy) return;
    starting.value = false;
    robot.tell("start", { run: runToStart() });
  }, [starting.value, standing, busy]);

  async function judge(success) {
    if (success !== null) await robot.tell("mark", { episode: ended.value, success });
    ended.value = null;
    if (!series.value) return;
    const { trial, of } = series.value;
    // After a stop only the person resumes: the series is over.
    const more = trial < of && standing === "ready" && mine;
    series.value = more ? { trial: trial + 1, of } : null;
    if (!more) return;
    // An order that is refused is said, and the next start is the person's.
    await robot.tell("reset_scene", { seed: seed + 1 });
    await robot.tell("home");
    starting.value = true;
  }

  const button = (name, success) => html`
    <button type="button" class="o-btn" data-do=${name} disabled=${!mine} onClick=${() => judge(success)}>
      ${say(`trials.${name}`)}
    </button>
  `;
  const { trial, of } = series.value ?? {};
  if (ended.value === null && !series.value) return null;
  return html`
    <p class="o-outcome" role="status">
      ${series.value && html`<b>${say("trials.place", { trial, of, seed })}</b>`}
      ${
        ended.value !== null &&
        html`<span>${say("trials.ask", { episode: ended.value })}</span>
          ${button("worked", true)}${button("failed", false)}${button("skip", null)}`
      }
      ${
        series.value &&
        html`<button type="button" class="o-btn" data-do="end_series" onClick=${() => (series.value = null)}>
          ${say("trials.end")}
        </button>`
      }
    </p>
  `;
}
