// The six numbers that matter, once a second; rows left at every tick.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { robot } from "./link.js";

const NONE = "–";
const total = (counts) => counts.reduce((sum, count) => sum + count, 0);
const fixed = (number, digits) => (number == null ? NONE : number.toFixed(digits));
const united = (number, digits, unit) => (number == null ? NONE : `${number.toFixed(digits)} ${unit}`);

/** Of a summary and the rows that are left: the number, what stands below it, and whether it should worry somebody. */
const TILES = {
  latency: (s) => [
    united(s.latency_p95_s, 2, "s"),
    say("more.latency", { p50: fixed(s.latency_p50_s, 2), inference: fixed(s.inference_p50_s, 2) }),
    s.latency_p95_s != null && !s.largest_gapless_horizon,
  ],
  lateness: (s) => [
    united(s.lateness_p99_ms, 1, "ms"),
    say("more.lateness", { p50: fixed(s.lateness_p50_ms, 1), worst: fixed(s.lateness_max_ms, 1) }),
    s.lateness_p99_ms > 10,
  ],
  late: (s) => [
    String(s.num_late),
    say("more.late", { missed: s.num_missed, busy: fixed(s.busy_p99_ms, 1) }),
    s.num_missed > 0,
  ],
  jump: (s) => [
    united(s.jump_last_rad, 3, "rad"),
    say("more.jump", { worst: fixed(s.jump_max_rad, 3) }),
    s.jump_max_rad > 0.3,
  ],
  clamped: (s) => [
    `${(100 * s.clamped_share).toFixed(1)} %`,
    say("more.clamped", {
      soft: total(s.num_clamped_soft),
      lead: total(s.num_clamped_lead),
      step: total(s.num_clamped_step),
      acceleration: total(s.num_clamped_acceleration),
    }),
    s.clamped_share > 0.05,
  ],
  left: (s, left) => [String(left), say("more.left", { gaps: s.num_gaps }), false],
};

function Figures() {
  seen(robot.ticks);
  const { summary, tick } = seen(robot).now;
  return Object.entries(TILES).map(([name, tile]) => {
    const [number, more, worrying] = summary ? tile(summary, tick?.num_coming ?? 0) : [NONE, "", false];
    return html`
      <div data-tile=${name} data-worrying=${worrying || null}>
        <b>${number}</b><span>${say(`tile.${name}`)}</span><small>${more}</small>
      </div>
    `;
  });
}

define("o-robot-figures", Figures);
