// What is looked for: words, and under them everything that narrows.

import { say } from "../data/facts.js";
import { icon, iconButton } from "../parts/icons.js";
import { library } from "./store.js";
import { query } from "./query.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

const TYPES = ["", "image", "video", "actions", "latents"];
const ORDERS = ["", "oldest", "largest"];

class Filters extends Part {
  sources() {
    return [query, library];
  }

  build() {
    this.words = make("input", {
      type: "search",
      id: "library-words",
      autocomplete: "off",
      spellcheck: "false",
      "data-hot": "words",
      "aria-label": say("library.search"),
      placeholder: say("library.search_hint"),
      on: { input: () => query.set({ q: this.words.value.trim() }) },
    });
    this.count = make("span", { class: "o-count", role: "status" });
    this.batch = make(
      "button",
      {
        type: "button",
        class: "o-chip",
        hidden: true,
        "data-field": "batch",
        "aria-label": say("library.batch_away"),
        on: { click: () => query.set({ batch: "" }) },
      },
      `${say("library.batch")} ×`,
    );
    this.star = this.#toggle("star", "starred");
    this.trash = this.#toggle("trash", "trashed");
    this.more = iconButton("filter", say("library.filters"), () => this.#fold(), {
      class: "o-btn o-narrow-only",
      "aria-expanded": "false",
    });
    this.storage = iconButton(
      "disk",
      say("library.storage"),
      () => document.querySelector("o-library-storage").open(),
      { "data-do": "storage" },
    );
    this.type = this.#select(
      "type",
      TYPES.map((type) => [type, say(type ? `media.${type}s` : "library.any_type")]),
    );
    this.kind = this.#select("kind", []);
    this.checkpoint = this.#select("checkpoint", []);
    this.tag = this.#select("tag", []);
    this.order = this.#select(
      "order",
      ORDERS.map((order) => [order, say(`order.${order || "newest"}`)]),
    );
    this.seed = this.#field("seed", {
      type: "text",
      inputmode: "numeric",
      pattern: "[0-9]*",
      size: 9,
      placeholder: say("library.seed"),
    });
    this.since = this.#field("since", { type: "date" });
    this.until = this.#field("until", { type: "date" });
    this.clear = make(
      "button",
      { type: "button", class: "o-link", on: { click: () => this.#clear() } },
      say("library.clear"),
    );
    this.fold = make(
      "div",
      { class: "o-filter-line o-filters", "data-fold": true },
      this.order,
      this.type,
      this.kind,
      this.checkpoint,
      this.tag,
      this.seed,
      make("span", { class: "o-dates" }, this.since, make("span", {}, "–"), this.until),
      this.clear,
    );
    this.append(
      make(
        "div",
        { class: "o-filter-line" },
        make("span", { class: "o-search" }, icon("search", 17), this.words, make("kbd", {}, "/")),
        this.count,
        this.batch,
        this.star,
        this.trash,
        this.more,
        this.storage,
      ),
      this.fold,
    );
  }

  paint() {
    if (document.activeElement !== this.words) this.words.value = query.get("q");
    const { total, facets } = library;
    write(
      this.count,
      total === null ? "" : total === 1 ? say("library.one") : say("library.count", { count: total.toLocaleString() }),
    );
    for (const button of [this.star, this.trash])
      mark(button, "aria-pressed", String(Boolean(query.get(button.dataset.field))));
    this.#options(this.kind, "kind", facets.kinds, (value) => say(`kind.${value}`));
    this.#options(this.checkpoint, "checkpoint", facets.checkpoints, (value) => value);
    this.#options(this.tag, "tag", facets.tags, (value) => value);
    for (const select of [this.type, this.order]) select.value = query.get(select.dataset.field);
    for (const field of [this.seed, this.since, this.until]) {
      if (document.activeElement !== field) field.value = query.get(field.dataset.field);
    }
    show(this.batch, Boolean(query.get("batch")));
    show(this.clear, query.narrowed > 0);
    write(
      this.more.lastChild,
      query.narrowed ? say("library.filters_on", { count: query.narrowed }) : say("library.filters"),
    );
  }

  #toggle(name, field) {
    const act = () => query.set({ [field]: query.get(field) ? "" : "true" });
    return iconButton(name, say(`library.${field}`), act, { "data-field": field, "aria-pressed": "false" });
  }

  #select(field, options) {
    const select = make("select", {
      class: "o-select",
      "data-field": field,
      "aria-label": say(`library.by_${field}`),
      on: { change: () => query.set({ [field]: select.value }) },
    });
    select.append(...options.map(([value, words]) => make("option", { value }, words)));
    return select;
  }

  #field(field, attributes) {
    const input = make("input", {
      ...attributes,
      class: "o-select",
      "data-field": field,
      autocomplete: "off",
      "aria-label": say(`library.by_${field}`),
      on: { input: () => query.set({ [field]: field === "seed" ? input.value.replace(/\D/g, "") : input.value }) },
    });
    return input;
  }

  // The value that is looked for stays a choice, even when nothing has it any more.
  #options(select, field, facets, words) {
    const chosen = query.get(field);
    const values = facets.map(({ value, num_items: count }) => [value, `${words(value)} · ${count.toLocaleString()}`]);
    if (chosen && !facets.some(({ value }) => value === chosen)) values.push([chosen, words(chosen)]);
    show(select, values.length > 0);
    const key = JSON.stringify(values);
    if (select.dataset.key !== key) {
      select.dataset.key = key;
      select.replaceChildren(
        make("option", { value: "" }, say(`library.any_${field}`)),
        ...values.map(([value, shown]) => make("option", { value }, shown)),
      );
    }
    select.value = chosen;
  }

  #clear() {
    query.clear();
    this.words.value = "";
    this.words.focus();
  }

  #fold() {
    const open = this.fold.toggleAttribute("data-open");
    mark(this.more, "aria-expanded", String(open));
  }
}

customElements.define("o-library-filters", Filters);
