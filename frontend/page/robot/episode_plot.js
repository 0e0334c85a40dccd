// Seven joints and the gripper of a recorded run, what was foreseen of it, and where in it somebody is. Drawn once; the playhead lies above.

import { say } from "../data/facts.js";
import { html, useRef } from "../vendor/preact.js";
import { drawLine, drawWords, sheetOf, usePlot } from "./plot.js";

const GRIPPER = 7;
const LEFT = 34;
const RIGHT = 8;
const MOST_DIVERGENCE = 2; // of the motion measure
const SMALLEST_SPAN = 0.2; // rad; less than that is noise
const COLOURS = ["ink", "muted", "sunk", "accent", "warn"];

/** `share` is where somebody is, 0 to 1; `seek` takes the share that a pointer points at. */
export function EpisodePlot({ episode, share, seek }) {
  const canvas = useRef(null);
  usePlot(canvas, () => draw(canvas.current, episode));
  const drag = (event) => {
    event.preventDefault();
    const { left, width } = event.currentTarget.getBoundingClientRect();
    seek(Math.min(Math.max((event.clientX - left - LEFT) / (width - LEFT - RIGHT), 0), 1));
  };
  return html`
    <div class="o-episode-plot" onPointerDown=${drag} onPointerMove=${(event) => event.buttons && drag(event)}>
      <canvas ref=${canvas} role="img" aria-label=${say("episode.plot")} />
      <i aria-hidden="true" style=${{ left: `calc(${LEFT}px + ${share} * (100% - ${LEFT + RIGHT}px))` }} />
    </div>
  `;
}

function draw(canvas, episode) {
  const sheet = sheetOf(canvas, COLOURS);
  if (!sheet) return;
  const track = sheet.height / (GRIPPER + (episode.divergence ? 2 : 1));
  for (let joint = 0; joint <= GRIPPER; joint++) drawTrack(sheet, episode, joint, joint * track + 2, track - 4);
  if (episode.divergence) drawDivergence(sheet, episode, (GRIPPER + 1) * track + 2, track - 4);
}

/** How far what was seen was from what the policy foresaw, and the limit of the run; gaps where nothing was foreseen. */
function drawDivergence(sheet, { divergence, run }, top, height) {
  const { context, colours, width } = sheet;
  const last = Math.max(divergence.length - 1, 1);
  const x = (index) => LEFT + (index / last) * (width - LEFT - RIGHT);
  const y = (value) => top + 2 + (1 - Math.min(value, MOST_DIVERGENCE) / MOST_DIVERGENCE) * (height - 4);
  context.fillStyle = colours.sunk;
  context.fillRect(LEFT, top, width - LEFT - RIGHT, height);
  let stretch = [];
  for (const [index, value] of [...divergence, null].entries()) {
    if (value !== null) stretch.push([x(index), y(value)]);
    else if (stretch.length) {
      drawLine(sheet, stretch, "accent", 1.4);
      stretch = [];
    }
  }
  const limit = run?.divergence_limit;
  if (limit != null)
    drawLine(
      sheet,
      [LEFT, width - RIGHT].map((at) => [at, y(limit)]),
      "warn",
      1,
      [3, 3],
    );
  drawWords(sheet, say("episode.divergence"), 0, top + height / 2 + 4, "ink", 11);
}

function drawTrack(sheet, { states, actions, clamped }, joint, top, height) {
  const { context, colours, width } = sheet;
  const [low, high] = rangeOf(joint, states, actions);
  const last = Math.max(states.length - 1, 1);
  const x = (index) => LEFT + (index / last) * (width - LEFT - RIGHT);
  const y = (value) => top + 2 + (1 - (value - low) / (high - low)) * (height - 4);
  const points = (rows) => rows.map((row, index) => [x(index), y(row[joint])]);
  context.fillStyle = colours.sunk;
  context.fillRect(LEFT, top, width - LEFT - RIGHT, height);
  drawLine(sheet, points(actions), "muted", 1.4, [4, 3]);
  drawLine(sheet, points(states), "accent", 1.4);
  context.fillStyle = colours.warn;
  clamped.forEach((joints, index) => joints.includes(joint) && context.fillRect(x(index) - 1, top + height - 4, 2, 4));
  drawWords(sheet, joint === GRIPPER ? say("joints.gripper") : `q${joint + 1}`, 0, top + height / 2 + 4, "ink", 11);
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
