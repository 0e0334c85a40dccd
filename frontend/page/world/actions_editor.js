// Actions as a curve that a person draws: one value at a time, over the others in the background.

import { SHAPES, GROUP, MOST, bent, fitted, readRows, shaped } from "../making/action_shapes.js";
import { toast } from "../parts/errors.js";
import { bodies, counted, say } from "../data/facts.js";
import { form } from "../form/values.js";
import { HeldPart } from "../form/held_part.js";
import { CurveDrawing } from "./curve_drawing.js";
import { make, mark, write } from "../parts/nodes.js";

const ROWS = 16;

class ActionsEditor extends HeldPart {
  #column = 0;

  blank() {
    return { actions: null };
  }

  build() {
    this.number = make("span", { class: "o-num" });
    this.column = make("select", { class: "o-select", "aria-label": say("actions.value") });
    this.column.addEventListener("change", () => {
      this.#column = this.column.selectedIndex;
      this.later();
    });
    this.rows = make("input", {
      type: "number",
      min: GROUP,
      max: MOST,
      step: GROUP,
      "aria-label": say("actions.rows"),
    });
    this.rows.addEventListener("change", () => this.#resize(Number(this.rows.value)));
    this.drawing = new CurveDrawing((row, value, reach) =>
      this.#put(bent(this.held.actions, this.#column, row, value, reach)),
    );
    const shapes = Object.keys(SHAPES).map((name) =>
      make(
        "button",
        {
          type: "button",
          class: "o-chip",
          on: { click: () => this.#put(shaped(this.held.actions, this.#column, name, this.#size())) },
        },
        say(`shape.${name}`),
      ),
    );
    this.file = make("input", { type: "file", accept: ".json,.csv,.txt", hidden: true });
    this.file.addEventListener("change", () => this.#load(this.file.files[0]));
    const load = make(
      "button",
      { type: "button", class: "o-btn", on: { click: () => this.file.click() } },
      say("actions.load"),
    );
    this.append(
      make("span", { class: "o-line-title" }, make("b", {}, say("actions.title")), this.number),
      make("div", { class: "o-actions-line" }, this.column, this.rows, load, this.file),
      this.drawing.node,
      make("div", { class: "o-chip-group", role: "group", "aria-label": say("actions.shapes") }, ...shapes),
      make("small", {}, say("actions.help")),
    );
  }

  get #width() {
    return bodies[form.get("embodiment")]?.[0] ?? form.get("action_width") ?? 1;
  }

  get #names() {
    const named = bodies[form.get("embodiment")]?.[2] ?? [];
    return [...Array(this.#width).keys()].map(
      (index) => named[index]?.replaceAll("_", " ") ?? say("actions.column", { column: index + 1 }),
    );
  }

  // As far as the curve goes already, or one.
  #size() {
    return Math.max(...this.held.actions.map((row) => Math.abs(row[this.#column]))) || 1;
  }

  #put(actions) {
    this.put({ actions });
  }

  #resize(asked) {
    const rows = Math.min(Math.max(Math.round(asked / GROUP) * GROUP, GROUP), MOST) || ROWS;
    this.#put(fitted(this.held.actions, rows, this.#width));
  }

  async #load(file) {
    this.file.value = "";
    const rows = file && readRows(await file.text());
    if (!rows) return toast(say("actions.unreadable"), say("actions.unreadable_hint"), "bad");
    if (rows[0].length !== this.#width)
      return toast(say("actions.wrong_width", { came: rows[0].length, wanted: this.#width }), "", "bad");
    this.#put(fitted(rows, Math.max(GROUP, rows.length - (rows.length % GROUP)), this.#width));
  }

  paint() {
    if (!form.values) return;
    const width = this.#width;
    const { actions } = this.held;
    if (!actions?.length || actions[0].length !== width) {
      this.#put(fitted(actions ?? [], actions?.length ?? ROWS, width));
      return;
    }
    this.#column = Math.min(this.#column, width - 1);
    const names = this.#names;
    if (this.column.options.length !== width || this.column.options[0].text !== names[0]) {
      this.column.replaceChildren(...names.map((name) => make("option", {}, name)));
    }
    this.column.selectedIndex = this.#column;
    if (document.activeElement !== this.rows) this.rows.value = actions.length;
    write(
      this.number,
      counted("actions.length", actions.length, { seconds: (actions.length / (form.values.fps || 1)).toFixed(1) }),
    );
    mark(this, "data-rows", actions.length);
    this.drawing.draw(actions, this.#column);
  }
}

customElements.define("o-actions", ActionsEditor);
