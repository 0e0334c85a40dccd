// A choice among many: the browser's own list, with the refused ones greyed and the reason beside them.

import { checkpoint } from "../data/checkpoint.js";
import { make, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

let count = 0;

/** A list with a title: `options` are [shown, value]; `path` is the field by which refusals are looked up. */
export class Choice {
  constructor({ label, help = "", path, options, picked }) {
    this.path = path;
    this.options = options;
    const id = `o-select-${++count}`;
    this.list = make("select", { id, class: "o-select" }, ...options.map(([shown]) => make("option", {}, shown)));
    this.why = make("span", { class: "o-why" });
    this.node = make(
      "div",
      {},
      make("label", { class: "o-chip-title", for: id }, make("b", {}, label), make("small", {}, help)),
      this.list,
      this.why,
    );
    this.list.addEventListener("change", () => picked(options[this.list.selectedIndex][1]));
  }

  paint(value) {
    this.list.selectedIndex = this.options.findIndex(([, option]) => option === value);
    this.options.forEach(([, option], index) => {
      const why = checkpoint.refusal(this.path, option);
      this.list.options[index].disabled = Boolean(why);
      this.list.options[index].title = why;
    });
    write(this.why, checkpoint.refusal(this.path, value));
    show(this.why, Boolean(this.why.textContent));
  }
}

class Select extends Part {
  #value = null;

  sources() {
    return [checkpoint];
  }

  build() {
    const { label, help, path, options } = JSON.parse(this.dataset.spec);
    const picked = (value) => this.dispatchEvent(new CustomEvent("o-pick", { detail: value }));
    this.choice = new Choice({ label, help, path, options, picked });
    this.append(this.choice.node);
  }

  set value(value) {
    this.#value = value;
    this.later();
  }

  paint() {
    this.choice.paint(this.#value);
  }
}

customElements.define("o-select", Select);
