// Seven joints and the gripper of a recorded run, and where in it somebody is. Drawn once; the playhead lies above.

import { say } from "../data/facts.js";
import { make } from "../parts/nodes.js";

const GRIPPER = 7;
const LEFT = 34;
const RIGHT = 8;
const SMALLEST_SPAN = 0.2; // rad; less than that is noise
const COLOURS = ["ink", "muted", "sunk", "accent", "warn"];

export class EpisodePlot {
  #episode = null;

  constructor() {
    this.canvas = make("canvas", { role: "img", "aria-label": say("episode.plot") });
    this.head = make("i", { "aria-hidden": "true" });
    this.node = make("div", { class: "o-episode-plot" }, this.canvas, this.head);
    new ResizeObserver(() => this.draw()).observe(this.node);
    new MutationObserver(() => this.draw()).observe(document.body, { attributeFilter: ["class"] });
  }

  set episode(episode) {
    this.#episode = episode;
    this.draw();
    this.share = 0;
  }

  /** Where somebody is, 0 to 1. */
  set share(share) {
    this.head.style.left = `${LEFT + share * (this.node.clientWidth - LEFT - RIGHT)}px`;
  }

  /** The share that a pointer points at. */
  shareAt(event) {
    const { left, width } = this.node.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - left - LEFT) / (width - LEFT - RIGHT), 0), 1);
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height || !this.#episode) return;
    const scale = devicePixelRatio;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const style = getComputedStyle(this.node);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--o-${name}`)]));
    this.context = this.canvas.getContext("2d");
    this.context.scale(scale, scale);
    this.context.font = `500 11px ${style.getPropertyValue("--o-mono")}`;
    const track = height / (GRIPPER + 1);
    for (let joint = 0; joint <= GRIPPER; joint++) this.#drawTrack(joint, joint * track + 2, track - 4, width);
  }

  #drawTrack(joint, top, height, width) {
    const { context, colours } = this;
    const { states, actions, clamped } = this.#episode;
    const [low, high] = rangeOf(joint, states, actions);
    const last = Math.max(states.length - 1, 1);
    const x = (index) => LEFT + (index / last) * (width - LEFT - RIGHT);
    const y = (value) => top + 2 + (1 - (value - low) / (high - low)) * (height - 4);
    context.fillStyle = colours.sunk;
    context.fillRect(LEFT, top, width - LEFT - RIGHT, height);
    const line = (rows, colour, dash) => {
      context.strokeStyle = colours[colour];
      context.lineWidth = 1.4;
      context.setLineDash(dash);
      context.beginPath();
      rows.forEach((row, index) => context.lineTo(x(index), y(row[joint])));
      context.stroke();
      context.setLineDash([]);
    };
    line(actions, "muted", [4, 3]);
    line(states, "accent", []);
    context.fillStyle = colours.warn;
    clamped.forEach(
      (joints, index) => joints.includes(joint) && context.fillRect(x(index) - 1, top + height - 4, 2, 4),
    );
    context.fillStyle = colours.ink;
    context.fillText(joint === GRIPPER ? say("joints.gripper") : `q${joint + 1}`, 0, top + height / 2 + 4);
  }
}

function rangeOf(joint, ...lists) {
  if (joint === GRIPPER) return [-0.05, 1.05];
  let [low, high] = [Infinity, -Infinity];
  for (const rows of lists) {
    for (const row of rows) {
      low = Math.min(low, row[joint]);
      high = Math.max(high, row[joint]);
    }
  }
  const missing = Math.max(0, SMALLEST_SPAN - (high - low)) / 2;
  return [low - missing, high + missing];
}
