// Actions under the playhead: one value of every cell's actions over time, or the path of its first two values.

import { colourOf, shape } from "../media/actions_chart.js";
import { say } from "../data/facts.js";
import { make, mark, show } from "../parts/nodes.js";

const [WIDTH, HEIGHT, MARGIN] = [960, 96, 8];
const PATH = "path";

export class PlayheadPlot {
  #series = []; // { label, rows, fps, colour }
  #key = "";
  #fetched = new Map(); // URL → actions, or null

  constructor(head) {
    this.head = head;
    this.choice = make("select", {
      class: "o-select",
      "aria-label": say("plot.value"),
      on: { change: () => this.#draw() },
    });
    this.legend = make("span", { class: "o-plot-legend" });
    this.svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.node = make(
      "div",
      { class: "o-plot", hidden: true },
      make("div", { class: "o-plot-head" }, this.choice, this.legend),
      this.svg,
    );
  }

  /** Take the cells; those with actions are drawn once they are here. */
  async show(cells) {
    const acting = cells.filter(({ actions }) => actions);
    const key = JSON.stringify(acting.map(({ row, column, url }) => [row, column, url]));
    if (key === this.#key) return;
    this.#key = key;
    const found = await Promise.all(acting.map(async (cell) => ({ cell, actions: await this.#read(cell.actions) })));
    if (key !== this.#key) return;
    this.#series = found
      .filter(({ actions }) => actions?.rows.length)
      .map(({ cell, actions }, index) => ({
        ...actions,
        fps: actions.fps || cell.fps || 24,
        label: cell.label ?? "",
        name: cell.name ?? "",
        colour: colourOf(index),
      }));
    show(this.node, this.#series.length > 0);
    if (this.#series.length) this.#offer();
  }

  /** Put the marks where the playhead is. */
  mark() {
    if (!this.#series.length) return;
    const { time } = this.head;
    if (this.choice.value !== PATH) {
      const at = this.#x(time);
      for (const name of ["x1", "x2"]) this.line.setAttribute(name, at);
      return;
    }
    for (const { rows, fps, dot } of this.#series) {
      const [x, y] = this.#place(rows[Math.min(Math.floor(time * fps), rows.length - 1)]);
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
    }
  }

  async #read(actions) {
    if (typeof actions !== "string")
      return { rows: actions.actions ?? actions, fps: actions.fps, columns: actions.columns };
    if (!this.#fetched.has(actions)) {
      const reply = await fetch(actions).catch(() => null);
      const said = reply?.ok ? await reply.json() : null;
      this.#fetched.set(actions, said && { rows: said.actions, fps: said.fps, columns: said.columns });
    }
    return this.#fetched.get(actions);
  }

  #offer() {
    const width = Math.max(...this.#series.map(({ rows }) => rows[0].length));
    const names = this.#series.find(({ columns }) => columns)?.columns ?? [];
    const before = this.choice.value;
    const values = [...Array(width).keys()].map((column) =>
      make("option", { value: column }, names[column] ?? say("plot.column", { column: column + 1 })),
    );
    this.choice.replaceChildren(...values, ...(width > 1 ? [make("option", { value: PATH }, say("plot.path"))] : []));
    if (before) this.choice.value = before;
    if (!this.choice.value) this.choice.value = "0";
    this.legend.replaceChildren(
      ...this.#series.map(({ label, name, colour }) => {
        const swatch = make("i", {});
        swatch.style.background = colour;
        return make("span", { title: name }, swatch, label);
      }),
    );
    this.#draw();
  }

  #draw() {
    const path = this.choice.value === PATH;
    const column = Number(this.choice.value);
    const values = (at) => this.#series.flatMap(({ rows }) => rows.map((row) => row[at] ?? 0));
    this.low = [0, 1].map((at) => Math.min(...values(path ? at : column)));
    this.high = [0, 1].map((at) => Math.max(...values(path ? at : column)));
    this.until = Math.max(this.head.length, ...this.#series.map(({ rows, fps }) => rows.length / fps));
    mark(this.svg, "aria-label", say("plot.label", { value: this.choice.selectedOptions[0]?.textContent ?? "" }));
    this.line = shape("line", {
      y1: 0,
      y2: HEIGHT,
      stroke: "currentColor",
      "stroke-width": 1.5,
      visibility: path ? "hidden" : "visible",
    });
    const drawn = this.#series.flatMap((series) => {
      const points = series.rows.map((row, at) =>
        path ? this.#place(row) : [this.#x(at / series.fps), this.#y(row[column] ?? 0, 0)],
      );
      series.dot = shape("circle", { r: 4, fill: series.colour, visibility: path ? "visible" : "hidden" });
      const text = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
      return [
        shape("polyline", { points: text, fill: "none", stroke: series.colour, "stroke-width": 1.6 }),
        series.dot,
      ];
    });
    this.svg.replaceChildren(...drawn, this.line);
    this.mark();
  }

  #x(time) {
    return MARGIN + ((WIDTH - 2 * MARGIN) * Math.min(time, this.until)) / (this.until || 1);
  }

  #y(value, axis) {
    return (
      HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (value - this.low[axis])) / (this.high[axis] - this.low[axis] || 1)
    );
  }

  // One scale for both values, in the middle.
  #place(row) {
    const span = Math.max(...[0, 1].map((axis) => this.high[axis] - this.low[axis])) || 1;
    const scale = Math.min((HEIGHT - 2 * MARGIN) / span, (WIDTH - 2 * MARGIN) / span);
    const [x, y] = [0, 1].map((axis) => ((row[axis] ?? 0) - (this.low[axis] + this.high[axis]) / 2) * scale);
    return [WIDTH / 2 + x, HEIGHT / 2 - y];
  }
}
