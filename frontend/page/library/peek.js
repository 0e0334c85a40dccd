// One item looked at: its recipe, what it was made from and what was made from it. No form is touched.

import { checkpoint } from "../data/checkpoint.js";
import { say } from "../data/facts.js";
import { icon, iconButton } from "../parts/icons.js";
import * as actions from "./actions.js";
import { relatives } from "./relatives.js";
import { library, nameOf } from "./store.js";
import { selection } from "./selection.js";
import { Tags } from "./tags.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { factsOf, recipeOf } from "../data/recipe.js";
import { refusalAt } from "../data/refusals.js";
import { again as placeAgain, placesFrom, refineFrom } from "../parts/send.js";
import { ask } from "../parts/server.js";
import { Viewer } from "../media/viewer.js";

class Peek extends Part {
  #shown = null; // id
  #detail = null;

  sources() {
    return [selection, library, checkpoint];
  }

  build() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", say("peek.label"));
    this.heading = make("input", {
      class: "o-peek-title",
      maxlength: 300,
      autocomplete: "off",
      "aria-label": say("peek.title"),
      on: {
        change: () => library.rename(this.#shown, this.heading.value),
        keydown: (event) => event.key === "Enter" && this.heading.blur(),
      },
    });
    this.close = iconButton("close", say("peek.close"), () => this.#close(), {
      quiet: true,
      "data-hot": "cancel",
      "data-do": "close",
    });
    this.viewer = new Viewer();
    this.again = make("a", { class: "o-btn o-primary", "data-do": "use" }, icon("again"), say("peek.use"));
    this.refine = make(
      "a",
      { class: "o-btn", "data-do": "refine", title: say("send_to.refine"), hidden: true },
      icon("wand"),
      say("peek.refine"),
    );
    this.save = make("a", { class: "o-btn", "data-do": "download" }, icon("download"), say("peek.download"));
    this.star = iconButton("star", say("peek.star"), () => this.#star(), { quiet: true, "data-do": "star" });
    this.trash = iconButton("trash", say("peek.trash"), () => actions.trash([this.#shown]), {
      quiet: true,
      "data-do": "trash",
    });
    this.restore = iconButton("restore", say("chosen.restore"), () => actions.restore([this.#shown]), {
      "data-do": "restore",
    });
    this.erase = iconButton("trash", say("chosen.erase"), () => actions.erase([this.#shown]), {
      class: "o-btn o-bad",
      "data-do": "erase",
    });
    this.send = make("div", { class: "o-send" });
    this.why = make("span", { class: "o-why", id: "o-peek-why", role: "status" });
    for (const event of ["focusin", "pointerover"])
      this.send.addEventListener(event, ({ target }) => write(this.why, target.dataset.why ?? ""));
    for (const event of ["focusout", "pointerleave"]) this.send.addEventListener(event, () => write(this.why, ""));
    this.prompt = make("p", { class: "o-peek-prompt" });
    this.facts = make("p", { class: "o-meta" });
    this.tags = new Tags((tags) => this.#tag(tags));
    this.recipe = make("dl", { class: "o-recipe" });
    this.family = make("div", { class: "o-family" });
    this.append(
      make("header", {}, this.heading, this.star, this.trash, this.close),
      this.viewer.node,
      make("div", { class: "o-peek-acts" }, this.again, this.refine, this.save, this.restore, this.erase),
      this.send,
      this.prompt,
      this.facts,
      this.tags.node,
      this.family,
      make("details", { open: true }, make("summary", {}, say("peek.recipe")), this.recipe),
    );
    this.addEventListener("click", ({ target }) => {
      const id = /** @type {Element} */ (target).closest("[data-relative]")?.getAttribute("data-relative");
      if (id) selection.peek(id);
    });
  }

  paint() {
    const id = selection.peeked;
    mark(this, "data-id", id);
    if (id !== this.#shown) {
      this.#shown = id;
      this.#detail = null;
      this.scrollTop = 0;
      if (id) this.#ask(id);
      else this.viewer.show(null);
    }
    const item = library.find(id) ?? this.#detail;
    show(this, Boolean(id && item));
    document.body.toggleAttribute("data-peeks", Boolean(id && item));
    if (!id || !item) return;
    this.#paintItem(item);
    this.#paintDetail();
  }

  #paintItem(item) {
    const trashed = Boolean(item.trashed_at);
    if (document.activeElement !== this.heading) this.heading.value = item.title;
    mark(this.heading, "placeholder", nameOf({ ...item, title: "" }).slice(0, 80));
    this.viewer.show(item);
    mark(this.star, "aria-pressed", String(item.starred));
    for (const node of [this.star, this.trash]) show(node, !trashed);
    for (const node of [this.restore, this.erase]) show(node, trashed);
    const again = trashed ? null : placeAgain(item);
    show(this.again, Boolean(again));
    mark(this.again, "href", again);
    show(this.save, !item.missing && !trashed);
    mark(this.save, "href", item.url);
    mark(this.save, "download", `orrery-${item.id}`);
    this.#paintSend(trashed || item.missing ? [] : placesFrom(item));
    show(this.prompt, Boolean(item.prompt));
    write(this.prompt, item.prompt);
    write(this.facts, factsOf(item));
    this.tags.show(item.tags, library.facets.tags, !trashed);
  }

  #paintSend(found) {
    const ways = found.map((way) => ({ ...way, why: refusalAt(way.name) }));
    const key = ways.map(({ href, why }) => href + why).join(" ");
    if (this.send.dataset.key === key) return;
    this.send.dataset.key = key;
    show(this.send, found.length > 0);
    this.send.replaceChildren(
      make("span", {}, say("peek.send")),
      ...ways.map(({ href, words, help, name, why }) =>
        why
          ? make(
              "button",
              {
                type: "button",
                class: "o-chip",
                "aria-disabled": "true",
                "aria-describedby": this.why.id,
                title: why,
                "data-why": why,
                "data-to": name,
              },
              words,
            )
          : make("a", { class: "o-chip", href, title: help, "data-to": name }, words),
      ),
      this.why,
    );
  }

  #paintDetail() {
    const detail = this.#detail;
    const refine = detail && !detail.trashed_at ? refineFrom(detail.id, detail.request) : null;
    show(this.refine, Boolean(refine));
    mark(this.refine, "href", refine);
    show(this.family, Boolean(detail));
    show(this.recipe.parentElement, Boolean(detail?.request));
    if (!detail || this.recipe.dataset.key === detail.id) return;
    this.recipe.dataset.key = detail.id;
    this.recipe.replaceChildren(
      ...recipeOf(detail.request ?? {}).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
    );
    this.family.replaceChildren(...relatives(detail));
  }

  async #ask(id) {
    this.recipe.dataset.key = "";
    const detail = await ask("GET", `/v1/library/${encodeURIComponent(id)}`);
    if (id !== this.#shown) return;
    if (!detail) selection.peek(null);
    this.#detail = detail;
    this.later();
  }

  #close() {
    const from = document.querySelector(`.o-tile[data-id="${CSS.escape(this.#shown)}"] .o-tile-open`);
    selection.peek(null);
    from?.focus();
  }

  #star() {
    const starred = this.star.getAttribute("aria-pressed") !== "true";
    if (this.#detail) this.#detail = { ...this.#detail, starred };
    library.change([this.#shown], { starred });
  }

  #tag({ add = [], remove = [] }) {
    if (this.#detail) {
      this.#detail = {
        ...this.#detail,
        tags: [...new Set([...this.#detail.tags, ...add])].filter((tag) => !remove.includes(tag)),
      };
    }
    library.change([this.#shown], { add_tags: add, remove_tags: remove });
  }
}

customElements.define("o-library-peek", Peek);
