// Seven joints and the gripper over time on one canvas, drawn once a tick: state, command, the coming rows after "now",
// limits as bands, and a mark where a command was clamped. About 1500 line segments, well under a millisecond.

import { say } from "../data/facts.js";
import { settings } from "../data/settings.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";
import { comingRows, history } from "./history.js";
import { robot } from "./link.js";
import { drawLine, drawWords, sheetOf, usePlot } from "./plot.js";

const PAST_TICKS = 64;
const COMING_TICKS = 33;
const GRIPPER = 7;
const LEFT = 52;
const RIGHT = 50;
const GAUGE_X = 34;
const GAUGE_WIDTH = 6;
const SMALLEST_SPAN_RAD = 0.4;
const STEP_RAD = 0.2; // ranges grow and shrink in these, so that the picture does not breathe
/** @type {[number, number]} */
const GRIPPER_LIMITS = [0, 1];

const KEYS = ["state", "command", "coming", "limit", "clamped"];
const CLAMPS = ["soft", "lead", "step", "acceleration"];

const COLOURS = ["ink", "muted", "line", "accent", "bad", "bad-soft", "warn", "sunk"];

function Joints() {
  const canvas = useRef(null);
  const full = useSignal(false);
  const paint = () => draw(canvas.current, full.value);
  seen(robot);
  seen(robot.ticks);
  const { angles } = seen(settings).values;
  useLayoutEffect(paint);
  usePlot(canvas, paint);
  return html`
    <div class="o-joints-head">
      <b>${say("joints.title", { unit: say(`settings.angles_${angles}`) })}</b>
      ${KEYS.map((name) => html`<span data-key=${name}><i />${say(`joints.${name}`)}</span>`)}
      <button
        type="button"
        class="o-btn"
        data-do="full"
        aria-pressed=${String(full.value)}
        onClick=${() => (full.value = !full.value)}
      >
        ${say("joints.full")}
      </button>
    </div>
    <div class="o-joints-plot"><canvas ref=${canvas} role="img" aria-label=${say("joints.label")} /></div>
  `;
}

/** `full` draws the whole range of each joint. */
export function draw(canvas, full) {
  const sheet = sheetOf(canvas, COLOURS);
  if (!sheet) return;
  const { width, height } = sheet;
  const last = history.at(-1);
  const ticks = history.filter(({ tick }) => last.tick - tick <= PAST_TICKS);
  const { coming, chunk, session } = robot.now;
  const rows = comingRows(last, coming, chunk, session).slice(0, COMING_TICKS);
  const tickWidth = (width - LEFT - RIGHT) / (PAST_TICKS + COMING_TICKS);
  const x = (ahead) => LEFT + (PAST_TICKS + ahead) * tickWidth;
  const track = height / (GRIPPER + 1);
  for (let joint = 0; joint <= GRIPPER; joint++) {
    drawTrack({ ...sheet, x, top: joint * track + 3, height: track - 6 }, joint, ticks, rows, full);
  }
  const now = [0, height].map((y) => [x(0), y]);
  drawLine(sheet, now, "muted");
}

function drawTrack(sheet, joint, ticks, rows, full) {
  const { context, colours, width, x, top, height } = sheet;
  const last = ticks.at(-1);
  const now = stateOf(last, joint);
  const limits = limitsOf(joint);
  const state = ticks.map((tick) => [tick.tick - last.tick, stateOf(tick, joint)]);
  const command = ticks.map((tick) => [tick.tick - last.tick, tick.executed?.[joint]]);
  const ahead = rows.map((row, index) => [index + 1, row[joint]]);
  if (ahead.length) ahead.unshift([0, last.executed?.[joint] ?? now]);
  const [low, high] = rangeOf(joint, limits, [...state, ...command, ...ahead], full);
  const y = (value) => top + height - ((Math.min(Math.max(value, low), high) - low) / (high - low)) * height;
  const points = (pairs) => pairs.filter(([, value]) => value != null).map(([tick, value]) => [x(tick), y(value)]);
  const pending = robot.now.session?.hold === "approval";

  context.fillStyle = colours.sunk;
  context.fillRect(x(-PAST_TICKS), top, x(COMING_TICKS) - x(-PAST_TICKS), height);
  if (limits && joint !== GRIPPER) {
    if (high > limits[1]) drawBand(sheet, top, y(limits[1]), y(limits[1]));
    if (low < limits[0]) drawBand(sheet, y(limits[0]), top + height, y(limits[0]));
  }
  drawLine(sheet, points(command), "muted", 1.3, [4, 3]);
  drawLine(sheet, points(state), "accent", 1.7);
  context.globalAlpha = pending ? 1 : 0.6;
  drawLine(sheet, points(ahead), pending ? "warn" : "accent", 1.4, pending ? [2, 3] : []);
  context.globalAlpha = 1;
  for (const tick of ticks) if (tick.clamped.includes(joint)) drawClamp(sheet, x(tick.tick - last.tick));
  drawGauge(sheet, joint, limits, now);

  const counts = joint !== GRIPPER && robot.now.summary;
  const clamps = counts ? CLAMPS.reduce((sum, name) => sum + counts[`num_clamped_${name}`][joint], 0) : 0;
  drawWords(sheet, joint === GRIPPER ? say("joints.gripper") : `q${joint + 1}`, 0, top + 10, "ink", 11.5);
  if (clamps) drawWords(sheet, `▴${clamps}`, 0, top + 24, "warn", 10.5);
  const unit = joint === GRIPPER ? 1 : settings.perRad;
  const fine = unit === 1 ? 2 : 0; // digits
  const said = (value, digits) => signed(value * unit, Math.min(digits, fine));
  drawWords(sheet, said(high, 1), width, top + 8, "muted", 10, "right");
  drawWords(sheet, said(low, 1), width, top + height - 1, "muted", 10, "right");
  if (now != null) drawWords(sheet, said(now, 2), width, top + height / 2 + 4, "ink", 11.5, "right");
  if (joint === 0) drawWords(sheet, say("joints.now"), x(0) + 4, top + 9, "muted", 10);
}

/** What lies beyond a limit, and the limit itself. */
function drawBand(sheet, from, to, limit) {
  const { context, colours, x } = sheet;
  const [left, right] = [x(-PAST_TICKS), x(COMING_TICKS)];
  const edge = [left, right].map((end) => [end, limit]);
  context.fillStyle = colours["bad-soft"];
  context.fillRect(left, from, right - left, to - from);
  drawLine(sheet, edge, "bad", 0.7);
}

/** Where in its whole range the joint is: the ends are the limits. */
function drawGauge({ context, colours, top, height }, joint, limits, now) {
  context.fillStyle = colours.sunk;
  context.fillRect(GAUGE_X, top, GAUGE_WIDTH, height);
  context.fillStyle = colours["bad-soft"];
  for (const end of joint === GRIPPER ? [] : [0, 0.95]) {
    context.fillRect(GAUGE_X, top + height * end, GAUGE_WIDTH, height * 0.05);
  }
  if (!limits || now == null) return;
  const share = Math.min(Math.max((now - limits[0]) / (limits[1] - limits[0]), 0), 1);
  context.fillStyle = joint !== GRIPPER && (share < 0.03 || share > 0.97) ? colours.bad : colours.accent;
  context.fillRect(GAUGE_X - 2, top + (1 - share) * (height - 3), GAUGE_WIDTH + 4, 3);
}

function drawClamp({ context, colours, top, height }, x) {
  const bottom = top + height;
  context.fillStyle = colours.warn;
  context.beginPath();
  context.moveTo(x - 3, bottom);
  context.lineTo(x + 3, bottom);
  context.lineTo(x, bottom - 6);
  context.fill();
}

/** −0.62; what rounds to nothing has no sign. */
const signed = (value, digits) => (Number(value.toFixed(digits)) || 0).toFixed(digits).replace("-", "−");
const stateOf = (tick, joint) => (joint === GRIPPER ? tick?.gripper : tick?.joints?.[joint]);

/** @returns {[number, number] | null} */
function limitsOf(joint) {
  if (joint === GRIPPER) return GRIPPER_LIMITS;
  const limits = robot.now.hello?.limits;
  return limits ? [limits.soft_min[joint], limits.soft_max[joint]] : null;
}

/** What the track shows: the motion with some air, or everything between the limits and a little beyond. */
function rangeOf(joint, limits, pairs, full) {
  if (joint === GRIPPER) return [-0.1, 1.1];
  if (full && limits) return [limits[0] - STEP_RAD, limits[1] + STEP_RAD];
  const values = pairs.map(([, value]) => value).filter((value) => value != null);
  if (!values.length) return limits ? [limits[0] - STEP_RAD, limits[1] + STEP_RAD] : [-1, 1];
  let low = Math.floor((Math.min(...values) - 0.05) / STEP_RAD) * STEP_RAD;
  let high = Math.ceil((Math.max(...values) + 0.05) / STEP_RAD) * STEP_RAD;
  if (high - low < SMALLEST_SPAN_RAD) [low, high] = [low - STEP_RAD / 2, low - STEP_RAD / 2 + SMALLEST_SPAN_RAD];
  return [low, high];
}

define("o-robot-joints", Joints);
