// The tags of one item: each with its way out, and a field for another.

import { say } from "../data/facts.js";
import { make, show } from "../parts/nodes.js";

export class Tags {
  /** `change` is called with `{ add }` or `{ remove }`. */
  constructor(change) {
    this.change = change;
    this.list = make("ul", { role: "list" });
    this.known = make("datalist", { id: "library-tags" });
    this.field = make("input", {
      class: "o-select",
      list: "library-tags",
      size: 12,
      maxlength: 60,
      autocomplete: "off",
      "aria-label": say("peek.tag"),
      placeholder: say("peek.tag"),
      on: { keydown: (event) => event.key === "Enter" && this.#add() },
    });
    this.node = make("div", { class: "o-tags" }, this.list, this.field, this.known);
  }

  show(tags, known, mayChange) {
    show(this.field, mayChange);
    const key = JSON.stringify([tags, known, mayChange]);
    if (this.node.dataset.key === key) return;
    this.node.dataset.key = key;
    this.known.replaceChildren(...known.map(({ value }) => make("option", { value })));
    this.list.replaceChildren(
      ...tags.map((tag) =>
        make(
          "li",
          {},
          make("span", {}, tag),
          make(
            "button",
            {
              type: "button",
              disabled: !mayChange,
              "aria-label": say("peek.untag", { tag }),
              on: { click: () => this.change({ remove: [tag] }) },
            },
            "×",
          ),
        ),
      ),
    );
  }

  #add() {
    const tag = this.field.value.trim();
    if (!tag) return;
    this.field.value = "";
    this.change({ add: [tag] });
  }
}
