// The curve of one value, drawn over the others: dragged by its points, or by arrows on the point that has the focus.

import { colourOf, shape } from "../media/actions_chart.js";
import { say } from "../data/facts.js";
import { make, mark } from "../parts/nodes.js";

const WIDTH = 340;
const HEIGHT = 150;
const MARGIN = 12;
const REACH = 3; // rows that follow a dragged point, to each side; with Shift none
const MOST_LINES = 12; // of the other values

export class CurveDrawing {
  #row = 0;
  #range = [-1, 1];
  #rows = [];
  #column = 0;
  #dragging = false;

  /** `bend(row, value, reach)` is told what a person does. */
  constructor(bend) {
    this.bend = bend;
    this.svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
    this.knob = make("div", {
      class: "o-knob",
      role: "slider",
      tabindex: 0,
      "aria-label": say("actions.point"),
      "aria-orientation": "vertical",
    });
    this.node = make("div", { class: "o-curve" }, this.svg, this.knob);
    this.node.addEventListener("pointerdown", (event) => this.#grab(event));
    this.node.addEventListener("pointermove", (event) => this.#dragging && this.#drag(event));
    for (const event of ["pointerup", "pointercancel"])
      this.node.addEventListener(event, () => (this.#dragging = false));
    this.knob.addEventListener("keydown", (event) => this.#key(event));
  }

  draw(rows, column) {
    this.#rows = rows;
    this.#column = column;
    this.#row = Math.min(this.#row, rows.length - 1);
    if (!this.#dragging) this.#range = rangeOf(rows.flat());
    const others = rows[0]
      .map((_, index) => index)
      .filter((index) => index !== column)
      .slice(0, MOST_LINES);
    const zero = this.#y(0);
    this.svg.replaceChildren(
      shape("line", { x1: 0, x2: WIDTH, y1: zero, y2: zero, class: "o-zero" }),
      ...others.map((index) => this.#line(index, { "stroke-opacity": 0.35, "stroke-width": 1.2 })),
      this.#line(column, { "stroke-width": 2.4 }),
      ...rows.map((row, at) =>
        shape("circle", {
          cx: this.#x(at),
          cy: this.#y(row[column]),
          r: rows.length > 64 ? 1.5 : 3,
          fill: colourOf(column),
        }),
      ),
    );
    const value = rows[this.#row][column];
    this.knob.style.left = `${(100 * this.#x(this.#row)) / WIDTH}%`;
    this.knob.style.top = `${(100 * this.#y(value)) / HEIGHT}%`;
    mark(this.knob, "aria-valuenow", value);
    mark(this.knob, "aria-valuemin", this.#range[0]);
    mark(this.knob, "aria-valuemax", this.#range[1]);
    mark(this.knob, "aria-valuetext", say("actions.at", { row: this.#row + 1, value }));
    mark(this.knob, "title", say("actions.at", { row: this.#row + 1, value }));
  }

  #x(row) {
    return MARGIN + ((WIDTH - 2 * MARGIN) * row) / Math.max(this.#rows.length - 1, 1);
  }

  #y(value) {
    const [low, high] = this.#range;
    return HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (value - low)) / (high - low);
  }

  #line(column, attributes) {
    const points = this.#rows.map((row, at) => `${this.#x(at).toFixed(1)},${this.#y(row[column]).toFixed(1)}`);
    return shape("polyline", { points: points.join(" "), fill: "none", stroke: colourOf(column), ...attributes });
  }

  #grab(event) {
    event.preventDefault();
    this.node.setPointerCapture(event.pointerId);
    const at = (event.clientX - this.node.getBoundingClientRect().left) / this.node.clientWidth;
    const last = this.#rows.length - 1;
    this.#row = Math.min(Math.max(Math.round(((at * WIDTH - MARGIN) / (WIDTH - 2 * MARGIN)) * last), 0), last);
    this.#dragging = true;
    this.knob.focus();
    this.#drag(event);
  }

  #drag(event) {
    const box = this.node.getBoundingClientRect();
    const [low, high] = this.#range;
    const up =
      1 - ((event.clientY - box.top) / box.height) * (HEIGHT / (HEIGHT - 2 * MARGIN)) + MARGIN / (HEIGHT - 2 * MARGIN);
    this.bend(this.#row, Math.min(Math.max(low + up * (high - low), low), high), event.shiftKey ? 0 : REACH);
  }

  #key(event) {
    const last = this.#rows.length - 1;
    const along = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
    const up = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!along && !up) return;
    event.preventDefault();
    event.stopPropagation();
    if (along) {
      this.#row = Math.min(Math.max(this.#row + along, 0), last);
      this.draw(this.#rows, this.#column);
      return;
    }
    const [low, high] = this.#range;
    this.bend(this.#row, this.#rows[this.#row][this.#column] + (up * (high - low)) / 100, event.shiftKey ? REACH : 0);
  }
}

/** Low and high of the drawing: the values and some room, and never less than from -1 to 1. */
function rangeOf(values) {
  const most = Math.max(1, ...values.map(Math.abs));
  return [-1.15 * most, 1.15 * most];
}
