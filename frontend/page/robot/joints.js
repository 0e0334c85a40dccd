// Seven joints and the gripper over time on one canvas, drawn once a tick: state, command, the coming rows after "now",
// limits as bands, and a mark where a command was clamped. About 1500 line segments, well under a millisecond.

import { say } from "../data/facts.js";
import { make, mark } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { comingRows, History } from "./history.js";
import { robot } from "./link.js";

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

const CLAMPS = ["soft", "lead", "step", "acceleration"];

const COLOURS = ["ink", "muted", "line", "accent", "bad", "bad-soft", "warn", "sunk"];

class Joints extends Part {
  #history = new History();
  #full = false;

  sources() {
    return [robot];
  }

  build() {
    this.canvas = make("canvas", { role: "img", "aria-label": say("joints.label") });
    this.context = this.canvas.getContext("2d");
    const key = (name) => make("span", { "data-key": name }, make("i"), say(`joints.${name}`));
    this.full = make(
      "button",
      {
        type: "button",
        class: "o-btn",
        "data-do": "full",
        "aria-pressed": "false",
        on: { click: () => this.#toggle() },
      },
      say("joints.full"),
    );
    this.append(
      make(
        "div",
        { class: "o-joints-head" },
        make("b", {}, say("joints.title")),
        ...["state", "command", "coming", "limit", "clamped"].map(key),
        this.full,
      ),
      make("div", { class: "o-plot" }, this.canvas),
    );
    new ResizeObserver(() => this.later()).observe(this.canvas.parentElement);
    new MutationObserver(() => this.later()).observe(document.body, { attributeFilter: ["class"] });
    robot.addEventListener("hello", () => (this.#history = new History()));
    robot.addEventListener("tick", ({ detail }) => {
      this.#history.push(detail);
      this.later();
    });
  }

  #toggle() {
    this.#full = !this.#full;
    mark(this.full, "aria-pressed", String(this.#full));
    this.later();
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    const scale = devicePixelRatio;
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
    }
    const style = getComputedStyle(this);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--o-${name}`)]));
    this.font = style.getPropertyValue("--o-mono");
    const context = this.context;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const coming = comingRows(this.#history.last, robot.now.coming, robot.now.chunk, robot.now.session);
    const pending = robot.now.session?.hold === "approval";
    const tickWidth = (width - LEFT - RIGHT) / (PAST_TICKS + COMING_TICKS);
    const x = (ahead) => LEFT + (PAST_TICKS + ahead) * tickWidth;
    const trackHeight = height / (GRIPPER + 1);
    for (let joint = 0; joint <= GRIPPER; joint++) {
      this.#drawTrack(joint, joint * trackHeight + 3, trackHeight - 6, width, x, coming, pending);
    }
    this.#line(
      [
        [x(0), 0],
        [x(0), height],
      ],
      "muted",
    );
  }

  #drawTrack(joint, top, height, width, x, coming, pending) {
    const last = this.#history.last;
    const ticks = this.#history.ticks.filter((tick) => last.tick - tick.tick <= PAST_TICKS);
    const limits = limitsOf(joint);
    const state = ticks.map((tick) => [tick.tick - last.tick, stateOf(tick, joint)]);
    const command = ticks.map((tick) => [tick.tick - last.tick, tick.executed?.[joint]]);
    const ahead = coming.slice(0, COMING_TICKS).map((row, index) => [index + 1, row[joint]]);
    if (ahead.length) ahead.unshift([0, last.executed?.[joint] ?? stateOf(last, joint)]);
    const [low, high] = rangeOf(joint, limits, [...state, ...command, ...ahead], this.#full);
    const y = (value) => top + height - ((Math.min(Math.max(value, low), high) - low) / (high - low)) * height;
    const [left, right] = [x(-PAST_TICKS), x(COMING_TICKS)];
    const { context, colours } = this;
    context.fillStyle = colours.sunk;
    context.fillRect(left, top, right - left, height);
    if (limits && joint !== GRIPPER) this.#drawBands(limits, low, high, y, left, right, top, height);
    const points = (pairs) => pairs.filter(([, value]) => value != null).map(([tick, value]) => [x(tick), y(value)]);
    this.#line(points(command), "muted", 1.3, [4, 3]);
    this.#line(points(state), "accent", 1.7);
    context.globalAlpha = pending ? 1 : 0.6;
    this.#line(points(ahead), pending ? "warn" : "accent", 1.4, pending ? [2, 3] : []);
    context.globalAlpha = 1;
    for (const tick of ticks) if (tick.clamped.includes(joint)) this.#drawClamp(x(tick.tick - last.tick), top + height);
    this.#drawGauge(joint, limits, stateOf(last, joint), top, height);
    this.#write(joint === GRIPPER ? say("joints.gripper") : `q${joint + 1}`, 0, top + 10, "ink", 11.5);
    const counts = robot.now.summary;
    const clamps =
      counts && joint !== GRIPPER ? CLAMPS.reduce((sum, name) => sum + counts[`num_clamped_${name}`][joint], 0) : 0;
    if (clamps) this.#write(`▴${clamps}`, 0, top + 24, "warn", 10.5);
    this.#write(signed(high, 1), width, top + 8, "muted", 10, "right");
    this.#write(signed(low, 1), width, top + height - 1, "muted", 10, "right");
    const now = stateOf(last, joint);
    if (now != null) this.#write(signed(now, 2), width, top + height / 2 + 4, "ink", 11.5, "right");
    if (joint === 0) this.#write(say("joints.now"), x(0) + 4, top + 9, "muted", 10);
  }

  #drawBands([softMin, softMax], low, high, y, left, right, top, height) {
    const { context, colours } = this;
    context.fillStyle = colours["bad-soft"];
    context.strokeStyle = colours.bad;
    if (high > softMax) {
      context.fillRect(left, top, right - left, y(softMax) - top);
      this.#line(
        [
          [left, y(softMax)],
          [right, y(softMax)],
        ],
        "bad",
        0.7,
      );
    }
    if (low < softMin) {
      context.fillRect(left, y(softMin), right - left, top + height - y(softMin));
      this.#line(
        [
          [left, y(softMin)],
          [right, y(softMin)],
        ],
        "bad",
        0.7,
      );
    }
  }

  /** Where in its whole range the joint is: the ends are the limits. */
  #drawGauge(joint, limits, now, top, height) {
    const { context, colours } = this;
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

  #drawClamp(x, bottom) {
    const { context, colours } = this;
    context.fillStyle = colours.warn;
    context.beginPath();
    context.moveTo(x - 3, bottom);
    context.lineTo(x + 3, bottom);
    context.lineTo(x, bottom - 6);
    context.fill();
  }

  #line(points, colour, width = 1, dash = []) {
    if (points.length < 2) return;
    const { context } = this;
    context.strokeStyle = this.colours[colour];
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
  }

  #write(words, x, y, colour, size, align = "left") {
    const { context } = this;
    context.fillStyle = this.colours[colour];
    context.font = `500 ${size}px ${this.font}`;
    context.textAlign = align;
    context.fillText(words, x, y);
  }
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

customElements.define("o-robot-joints", Joints);
