// Actions as lines over time: one line for each value of an action, all on one scale.

import { say } from "../data/facts.js";
import { mark } from "../parts/nodes.js";

const SVG = "http://www.w3.org/2000/svg";
const LARGE = { width: 960, height: 540, margin: 48, stroke: 2 };
// On a phone, where letters of the large one were dots.
const NARROW = { width: 400, height: 225, margin: 34, stroke: 2 };
const PHONE = matchMedia("(max-width: 860px)");
const LEGEND = {
  large: { columns: 5, line: 20, letters: 14, digits: 3 },
  narrow: { columns: 4, line: 15, letters: 12, digits: 2 },
};
const SMALL = { width: 960, height: 84, margin: 10, stroke: 1.5 };
const MOST_NAMED = 10;

/** The golden angle: neighbouring values never look alike, however many there are. */
export const colourOf = (column) => `hsl(${(column * 137.5) % 360} 70% 65%)`;

export class ActionsChart {
  #rows = 1;
  #drawn = null; // what was drawn last

  constructor({ small = false } = {}) {
    this.small = small;
    this.svg = shape("svg", { role: "img", preserveAspectRatio: small ? "none" : null });
    if (!small) this.svg.setAttribute("hidden", "");
    this.head = shape("line", { y1: 0, stroke: "currentColor", "stroke-width": 1.5, visibility: "hidden" });
    this.#fit();
    if (!small)
      PHONE.addEventListener("change", () => {
        this.#fit();
        if (this.#drawn) this.draw(this.#drawn);
      });
  }

  /** Fetch the actions at a URL and draw them; false when they could not be had. */
  async load(url) {
    const reply = await fetch(url).catch(() => null);
    return reply?.ok ? this.draw(await reply.json()) : false;
  }

  /** Draw rows of actions; `columns` names their values where they have names. */
  draw(drawn) {
    this.#drawn = drawn;
    const { actions, fps, columns = null } = drawn;
    const { width, height, margin } = this.form;
    const named = columns && columns.length <= MOST_NAMED ? columns : [];
    const { columns: across, line: tall, letters, digits } = LEGEND[this.form === NARROW ? "narrow" : "large"];
    const top = Math.max(margin, Math.ceil(named.length / across) * tall + 8);
    const values = actions.flat();
    const [low, high] = [Math.min(...values), Math.max(...values)];
    this.#rows = actions.length;
    const x = (row) => margin + ((width - 2 * margin) * row) / Math.max(actions.length - 1, 1);
    const y = (value) => height - margin - ((height - top - margin) * (value - low)) / (high - low || 1);
    mark(this.svg, "aria-label", say("stage.actions", { rows: actions.length, columns: actions[0].length }));
    const scale = [
      ...[low, high].map((value) => text(value.toPrecision(digits), margin - 4, y(value) + 4, "end", letters)),
      text("0 s", margin, height - margin / 2 + 4, "middle", letters),
      text(`${(actions.length / fps).toFixed(2)} s`, width - margin, height - margin / 2 + 4, "middle", letters),
    ];
    const names = named.map((name, at) => {
      const label = text(
        name,
        margin + 6 + (at % across) * ((width - 2 * margin) / across),
        tall * (1 + Math.floor(at / across)),
        "start",
        letters,
      );
      label.setAttribute("fill", colourOf(at));
      return label;
    });
    const lines = actions[0].map((_, column) => this.#line(actions, column, x, y));
    this.svg.replaceChildren(...(this.small ? [] : [...scale, ...names]), ...lines, this.head);
    return true;
  }

  /** Put the playhead where a clip of so many frames is: between frame i and the next lies action i. */
  mark(frame, frames) {
    const { width, margin } = this.form;
    const at = margin + ((width - 2 * margin) * Math.min(frame, this.#rows)) / Math.max(frames - 1, 1);
    for (const name of ["x1", "x2"]) this.head.setAttribute(name, at);
    this.head.setAttribute("visibility", "visible");
  }

  #fit() {
    this.form = this.small ? SMALL : PHONE.matches ? NARROW : LARGE;
    mark(this.svg, "viewBox", `0 0 ${this.form.width} ${this.form.height}`);
    this.head.setAttribute("y2", this.form.height);
  }

  #line(actions, column, x, y) {
    const points = actions.map((action, row) => `${x(row).toFixed(1)},${y(action[column]).toFixed(1)}`);
    const drawn = {
      stroke: colourOf(column),
      fill: "none",
      "stroke-width": this.form.stroke,
      "vector-effect": "non-scaling-stroke",
    };
    return shape("polyline", { points: points.join(" "), ...drawn });
  }
}

function text(words, x, y, anchor, letters) {
  const label = shape("text", { x, y, "text-anchor": anchor, fill: "currentColor", "font-size": letters });
  label.textContent = words;
  return label;
}

export function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) if (value != null) node.setAttribute(attribute, value);
  return node;
}
