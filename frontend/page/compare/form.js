// A new comparison: rows of prompts, recipes and ground truths; checkpoints and values as columns.

import { AxisRows } from "./axes.js";
import { counted, say } from "../data/facts.js";
import { icon, iconButton } from "../parts/icons.js";
import { pickFromLibrary } from "../media/library_picker.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { ask, askJson } from "../parts/server.js";

const KINDS = ["generate_image", "generate_video"];
const STARTS = ["t2v", "i2v", "v2v"];

class CompareForm extends Part {
  #kind = "generate_video";
  #rows = []; // { item, truth, caption }
  #checkpoints = null;

  build() {
    this.setAttribute("role", "form");
    this.setAttribute("aria-label", say("compare.form"));
    this.prompts = make("textarea", { id: "compare-prompts", rows: 4, on: { input: () => this.#count() } });
    this.rows = make("ul", { role: "list", class: "o-compare-rows", "aria-label": say("compare.rows") });
    this.kinds = make("div", { class: "o-views", role: "group", "aria-label": say("compare.kind") });
    for (const kind of KINDS) {
      this.kinds.append(
        make(
          "button",
          { type: "button", class: "o-btn", "data-kind": kind, on: { click: () => this.#choose(kind) } },
          say(`compare.kind_${kind}`),
        ),
      );
    }
    this.checkpoints = make(
      "fieldset",
      { class: "o-compare-checkpoints" },
      make("legend", {}, say("compare.checkpoints")),
    );
    this.axes = new AxisRows(() => this.#count());
    this.sum = make("span", { class: "o-hint", role: "status" });
    this.go = make(
      "button",
      {
        type: "button",
        class: "o-btn o-primary",
        "data-hot": "submit",
        "data-do": "compare",
        on: { click: () => this.#send() },
      },
      say("compare.go"),
    );
    this.append(
      make("h2", {}, say("compare.form")),
      make(
        "label",
        { for: "compare-prompts" },
        make("b", {}, say("compare.prompts")),
        make("span", { class: "o-hint" }, say("compare.prompts_hint")),
      ),
      this.prompts,
      make(
        "div",
        { class: "o-sheet-acts" },
        iconButton("search", say("compare.add_item"), () => this.#add(false), { "data-do": "add-item" }),
        iconButton("play", say("compare.add_truth"), () => this.#add(true), { "data-do": "add-truth" }),
      ),
      this.rows,
      make("div", { class: "o-compare-kind" }, make("b", {}, say("compare.kind")), this.kinds),
      this.checkpoints,
      this.axes.node,
      make("div", { class: "o-compare-foot" }, this.go, this.sum),
    );
    this.#choose(this.#kind);
    this.#drawRows();
  }

  paint({ system }) {
    const now = JSON.stringify(Object.entries(system.checkpoints ?? {}).map(([id, { state }]) => [id, state]));
    if (live.seq < 0 || now === this.asked) return;
    this.asked = now;
    this.#ask().then((found) => (this.asked = found ? this.asked : null));
  }

  async #ask() {
    const found = await ask("GET", "/v1/checkpoints");
    if (!found) return false;
    const before = this.#checkpoints ? new Set(this.#ticked()) : null;
    this.#checkpoints = found.checkpoints.filter(({ installed, state }) => installed || state === "ready");
    const boxes = this.#checkpoints.map(({ id, title, active, weights_gb: size }) => {
      const box = make("input", { type: "checkbox", value: id, on: { change: () => this.#count() } });
      box.checked = before ? before.has(id) : active;
      return make("label", {}, box, make("span", {}, title), make("small", {}, size ? `${size} GB` : ""));
    });
    const few =
      boxes.length < 2
        ? [make("p", { class: "o-hint" }, say("compare.no_other"))]
        : [make("p", { class: "o-hint" }, say("compare.checkpoints_hint"))];
    this.checkpoints.replaceChildren(make("legend", {}, say("compare.checkpoints")), ...boxes, ...few);
    this.#count();
    return true;
  }

  #ticked() {
    return [...this.checkpoints.querySelectorAll("input:checked")].map(({ value }) => value);
  }

  #choose(kind) {
    this.#kind = kind;
    for (const button of this.kinds.children) mark(button, "aria-pressed", String(button.dataset.kind === kind));
    this.#count();
  }

  async #add(truth) {
    const item = await pickFromLibrary(truth ? ["video"] : ["image", "video"]);
    if (!item) return;
    this.#rows.push({ item, truth, caption: item.prompt ?? "" });
    this.#drawRows();
  }

  #drawRows() {
    this.rows.replaceChildren(...this.#rows.map((row) => this.#drawRow(row)));
    show(this.rows, this.#rows.length > 0);
    this.#count();
  }

  #drawRow(row) {
    const { item, truth } = row;
    const name = item.title || item.prompt || item.id;
    const remove = make(
      "button",
      {
        type: "button",
        class: "o-btn o-quiet",
        "aria-label": say("compare.remove", { name }),
        on: { click: () => this.#remove(row) },
      },
      icon("close"),
    );
    const caption = make("input", {
      class: "o-select",
      value: row.caption,
      "aria-label": say("compare.caption", { name }),
      placeholder: say("compare.caption", { name }),
      on: { input: () => this.#caption(row, caption.value) },
    });
    const said = make(
      "span",
      { class: "o-compared-said" },
      ...(truth ? [caption] : [make("b", {}, name)]),
      make("small", {}, say(truth ? "compare.truth" : "compare.again")),
    );
    return make("li", {}, make("img", { alt: "", src: item.thumbnail_url ?? null }), said, remove);
  }

  #caption(row, words) {
    row.caption = words;
    this.#count();
  }

  #remove(row) {
    this.#rows = this.#rows.filter((other) => other !== row);
    this.#drawRows();
  }

  #lines() {
    return this.prompts.value
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  }

  // What is sent; a ground truth is a row for each of its starts.
  #asked() {
    const subjects = this.#lines().map((prompt) => ({ request: { kind: this.#kind, prompt } }));
    for (const { item, truth, caption } of this.#rows) {
      if (truth)
        subjects.push({
          label: caption.slice(0, 300),
          reference: item.id,
          starts: STARTS,
          request: { kind: "generate_video", prompt: caption },
        });
      else subjects.push({ item: item.id });
    }
    const ticked = this.#ticked();
    return { subjects, axes: { ...(ticked.length ? { checkpoint: ticked } : {}), ...this.axes.values() } };
  }

  #count() {
    if (!this.go) return;
    const { subjects, axes } = this.#asked();
    const rows = subjects.reduce((sum, { starts }) => sum + (starts?.length ?? 1), 0);
    const columns = Object.values(axes).reduce((product, values) => product * values.length, 1);
    const cells = rows * columns;
    write(this.sum, cells === 0 ? say("compare.nothing") : counted("compare.cells", cells, { rows, columns }));
    this.go.disabled = cells === 0 || this.#rows.some(({ truth, caption }) => truth && !caption.trim());
  }

  async #send() {
    this.go.disabled = true;
    const answer = await askJson("POST", "/v1/comparisons", this.#asked());
    if (answer) location.assign(`/compare?id=${answer.id}`);
    else this.#count();
  }
}

customElements.define("o-compare-form", CompareForm);
