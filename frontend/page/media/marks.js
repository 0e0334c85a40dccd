// Boxes and points of an answer, drawn over what it was asked about. Places are on a grid of 0 to 1000, both ways.

import { make, show } from "../parts/nodes.js";

const SVG = "http://www.w3.org/2000/svg";
const GRID = 1000;
const share = (value) => `${(100 * value) / GRID}%`;
const number = (value) => typeof value === "number" && Number.isFinite(value);

/** The marks among the results of a task, or in the JSON that an answer in words holds. */
export function marksOf(turn) {
  const found = turn.results?.length ? turn.results : inWords(turn.text ?? "");
  return found.flatMap((entry) => {
    const [box, point] = [entry?.box_2d ?? entry?.bbox_2d, entry?.point_2d];
    const label = String(entry?.label ?? "");
    if (Array.isArray(box) && box.length === 4 && box.every(number)) return [{ box, label }];
    if (Array.isArray(point) && point.length === 2 && point.every(number)) return [{ point, label }];
    return [];
  });
}

function inWords(text) {
  const [from, to] = [text.search(/[[{]/), Math.max(text.lastIndexOf("]"), text.lastIndexOf("}"))];
  if (from < 0 || to < from) return [];
  try {
    const found = JSON.parse(text.slice(from, to + 1));
    return Array.isArray(found) ? found : [found];
  } catch {
    return [];
  }
}

export class Marks {
  constructor() {
    this.node = make("div", { class: "o-marks", hidden: true });
  }

  /** Draw them, in place of what was drawn; `path` joins the points, as a trajectory does. */
  draw(marks, path = false) {
    show(this.node, marks.length > 0);
    const points = marks.filter(({ point }) => point);
    this.node.replaceChildren(
      ...(path && points.length > 1 ? [lineThrough(points)] : []),
      ...marks.map(({ box, point, label }, index) => (box ? boxed(box, label, index) : pointed(point, label, index))),
    );
  }
}

const tag = (label, index) => make("span", {}, label || String(index + 1));

function boxed([left, top, right, bottom], label, index) {
  const node = make("div", { class: "o-mark-box", "data-mark": index }, tag(label, index));
  Object.assign(node.style, {
    left: share(left),
    top: share(top),
    width: share(right - left),
    height: share(bottom - top),
  });
  return node;
}

function pointed([x, y], label, index) {
  const node = make("div", { class: "o-mark-point", "data-mark": index }, tag(label, index));
  Object.assign(node.style, { left: share(x), top: share(y) });
  return node;
}

function lineThrough(points) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${GRID} ${GRID}`);
  svg.setAttribute("preserveAspectRatio", "none");
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("points", points.map(({ point }) => point.join(",")).join(" "));
  svg.append(line);
  return svg;
}
