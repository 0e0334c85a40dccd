// How many rows of a chunk are played before the next one takes over, and how fast a rehearsal or a replay goes.

import { say } from "../data/facts.js";
import { make, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { robot } from "./link.js";
import { run } from "./run.js";

const ROWS_PER_SECOND = 15;

class Pace extends Part {
  sources() {
    return [robot, run];
  }

  build() {
    this.horizon = slider("horizon", 1, 32, 1, (value) => run.set({ horizon: value }));
    this.speed = slider("speed", 0.1, 1, 0.05, (value) => run.set({ speed: value }));
    this.append(this.horizon.row, this.speed.row);
  }

  paint() {
    const shown = (robot.engaged && robot.now.session.run) || run;
    const time = (shown.horizon / ROWS_PER_SECOND).toFixed(2);
    set(
      this.horizon,
      shown.horizon,
      shown.horizon === 1 ? say("pace.row", { time }) : say("pace.rows", { rows: shown.horizon, time }),
    );
    write(this.horizon.note, robot.engaged ? say("pace.next") : gapless(robot.now.summary));
    set(this.speed, shown.speed, say("pace.percent", { percent: Math.round(100 * shown.speed) }));
    this.horizon.input.disabled = robot.engaged;
    this.speed.input.disabled = robot.engaged;
    show(this.speed.row, shown.mode === "rehearsal" || shown.mode === "replay");
  }
}

function gapless(summary) {
  if (summary?.latency_p95_s == null) return "";
  const rows = summary.largest_gapless_horizon;
  return rows ? say("pace.gapless", { rows }) : say("pace.gaps");
}

function slider(name, min, max, step, take) {
  const input = make("input", { type: "range", min, max, step, id: `robot-${name}` });
  input.addEventListener("input", () => take(Number(input.value)));
  const value = make("span", { class: "o-num" });
  const note = make("small");
  const title = make("label", { for: input.id }, say(`pace.${name}`));
  return { input, value, note, row: make("div", { class: "o-pace" }, make("div", {}, title, value), input, note) };
}

function set({ input, value }, number, words) {
  if (Number(input.value) !== number) input.value = number;
  input.style.setProperty("--range_progress", `${(100 * (number - input.min)) / (input.max - input.min)}%`);
  input.setAttribute("aria-valuetext", words);
  write(value, words);
}

customElements.define("o-robot-pace", Pace);
