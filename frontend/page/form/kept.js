// What came with a recipe and no other part of the form shows: its adapter, its intervals, another checkpoint. Each can
// be let go.

import { say } from "../data/facts.js";
import { form } from "./values.js";
import { HeldPart } from "./held_part.js";
import { icon } from "../parts/icons.js";
import { make, mark, show } from "../parts/nodes.js";

const MOST = 60; // characters of a value

class Kept extends HeldPart {
  build() {
    this.defaults = JSON.parse(this.dataset.spec).defaults;
    this.list = make("div", { class: "o-chip-group", role: "group", "aria-label": say("kept.title") });
    this.append(
      make("span", { class: "o-line-title" }, make("b", {}, say("kept.title")), make("small", {}, say("kept.help"))),
      this.list,
    );
  }

  paint() {
    const said = form.values
      ? Object.entries(this.held).filter(([path, value]) => value !== null && !same(value, this.defaults[path]))
      : [];
    show(this, said.length > 0);
    const key = JSON.stringify(said);
    if (this.list.dataset.key === key) return;
    this.list.dataset.key = key;
    this.list.replaceChildren(...said.map(([path, value]) => this.#chip(path, value)));
    mark(this, "data-kept", said.map(([path]) => path).join(" "));
  }

  #chip(path, value) {
    const name = path.split(".").at(-1).replaceAll("_", " ");
    const words = say("kept.value", { name, value: shown(value).slice(0, MOST) });
    const drop = () => this.put({ [path]: this.defaults[path] ?? null });
    return make(
      "button",
      { type: "button", class: "o-chip", "data-path": path, title: say("kept.drop", { name }), on: { click: drop } },
      words,
      icon("close", 13),
    );
  }
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other ?? null);

// Objects are adapters, a name and a scale; intervals are two numbers.
function shown(value) {
  if (Array.isArray(value)) return value.join("–");
  if (typeof value === "object") return Object.values(value).join(" × ");
  return String(value);
}

customElements.define("o-kept", Kept);
