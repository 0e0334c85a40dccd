// Actions as lines over time: one line for each value of an action, all on one scale.

import { say } from "./facts.js";
import { mark } from "./nodes.js";

const WIDTH = 960;
const HEIGHT = 540;
const MARGIN = 48;
const SVG = "http://www.w3.org/2000/svg";

/** Fetch the actions at a URL and draw them into an SVG element; false when they could not be had. */
export async function drawActions(svg, url) {
  const reply = await fetch(url);
  if (!reply.ok) return false;
  const { actions, fps } = await reply.json();
  const values = actions.flat();
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (row) => MARGIN + ((WIDTH - 2 * MARGIN) * row) / Math.max(actions.length - 1, 1);
  const y = (value) => HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (value - low)) / (high - low || 1);
  mark(svg, "viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  mark(svg, "aria-label", say("stage.actions", { rows: actions.length, columns: actions[0].length }));
  svg.replaceChildren(
    ...[low, high].map((value) => text(value.toPrecision(3), MARGIN - 6, y(value) + 4, "end")),
    text("0 s", MARGIN, HEIGHT - MARGIN / 2, "middle"),
    text(`${(actions.length / fps).toFixed(2)} s`, WIDTH - MARGIN, HEIGHT - MARGIN / 2, "middle"),
    ...actions[0].map((_, column) => line(actions, column, x, y)),
  );
  return true;
}

function line(actions, column, x, y) {
  const points = actions.map((action, row) => `${x(row).toFixed(1)},${y(action[column]).toFixed(1)}`);
  // The golden angle: neighbouring values never look alike, however many there are.
  const stroke = `hsl(${(column * 137.5) % 360} 70% 65%)`;
  return shape("polyline", { points: points.join(" "), stroke, fill: "none", "stroke-width": 2 });
}

function text(words, x, y, anchor) {
  const label = shape("text", { x, y, "text-anchor": anchor, fill: "currentColor", "font-size": 14 });
  label.textContent = words;
  return label;
}

function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  return node;
}

/** An empty drawing for the stage. */
export function actionsChart() {
  const svg = shape("svg", { role: "img" });
  svg.setAttribute("hidden", "");
  return svg;
}
