// The bar of what can be done with the chosen items; it stands while there are any.

import { say } from "../data/facts.js";
import { iconButton } from "../parts/icons.js";
import { download } from "../parts/archive.js";
import * as actions from "./actions.js";
import { library } from "./store.js";
import { query } from "./query.js";
import { selection } from "./selection.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

const COMPARED = ["image", "video"];
const MOST_COMPARED = 64;

class Chosen extends Part {
  sources() {
    return [selection, library, query];
  }

  build() {
    this.setAttribute("role", "toolbar");
    this.setAttribute("aria-label", say("chosen.label"));
    const button = (name, icon, act, attributes = {}) =>
      iconButton(icon, say(`chosen.${name}`), act, { "data-do": name, ...attributes });
    this.count = make("b", { role: "status" });
    this.star = button("star", "star", () => this.#star());
    this.tag = make("input", {
      class: "o-select",
      size: 10,
      maxlength: 60,
      autocomplete: "off",
      "aria-label": say("chosen.tag"),
      placeholder: say("chosen.tag"),
      on: { keydown: (event) => event.key === "Enter" && this.#tag() },
    });
    this.compare = button("compare", "compare", () =>
      location.assign(
        `/compare?items=${this.#items()
          .map(({ id }) => id)
          .join(",")}`,
      ),
    );
    this.zip = button("zip", "download", () => download([...selection.chosen]));
    this.trash = button("trash", "trash", () => actions.trash([...selection.chosen]), { class: "o-btn o-bad" });
    this.restore = button("restore", "restore", () => actions.restore([...selection.chosen]));
    this.erase = button("erase", "trash", () => actions.erase([...selection.chosen]), { class: "o-btn o-bad" });
    this.empty = button("empty", "trash", () => actions.erase(null), { class: "o-btn o-bad" });
    this.hint = make("span", { class: "o-hint" });
    this.none = iconButton("close", say("chosen.none"), () => selection.clear(), { quiet: true, "data-hot": "cancel" });
    this.append(
      this.count,
      this.star,
      this.tag,
      this.compare,
      this.zip,
      this.trash,
      this.restore,
      this.erase,
      this.hint,
      this.empty,
      this.none,
    );
  }

  paint() {
    const items = this.#items();
    const [some, trashed] = [items.length > 0, Boolean(query.get("trashed"))];
    show(this, some || (trashed && library.total > 0));
    write(
      this.count,
      some ? (items.length === 1 ? say("chosen.one") : say("chosen.count", { count: items.length })) : "",
    );
    for (const node of [this.star, this.tag, this.zip, this.trash]) show(node, some && !trashed);
    for (const node of [this.restore, this.erase]) show(node, some && trashed);
    show(
      this.compare,
      items.length > 1 &&
        items.length <= MOST_COMPARED &&
        !trashed &&
        items.every(({ type, missing }) => COMPARED.includes(type) && !missing),
    );
    show(this.empty, trashed && !some);
    show(this.none, some);
    show(this.hint, trashed && !some);
    write(this.hint, say("chosen.trash_hint"));
    mark(this.star, "aria-pressed", String(some && items.every((item) => item.starred)));
  }

  #items() {
    return library.items.filter((item) => selection.chosen.has(item.id));
  }

  #star() {
    const starred = !this.#items().every((item) => item.starred);
    library.change([...selection.chosen], { starred });
  }

  #tag() {
    const tag = this.tag.value.trim();
    if (!tag) return;
    this.tag.value = "";
    library.change([...selection.chosen], { add_tags: [tag] });
  }
}

customElements.define("o-library-chosen", Chosen);
