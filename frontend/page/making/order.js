// How the job is queued: before others or behind them, and several seeds as jobs of their own. Its value is the
// priority.

import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { form } from "../form/values.js";
import { icon } from "../parts/icons.js";
import { make, mark } from "../parts/nodes.js";
import { popover } from "../parts/popover.js";
import { selection } from "./selection.js";
import { askJson } from "../parts/server.js";

const PRIORITIES = ["low", "normal", "high"];
const MOST_SEEDS = 100;

class Order extends HTMLElement {
  #priority = "normal";

  connectedCallback() {
    if (this.firstChild) return;
    const button = make(
      "button",
      { type: "button", class: "o-btn o-order", "aria-label": say("order.title"), title: say("order.title") },
      icon("up", 16),
    );
    const pop = popover(button, { up: true, label: say("order.title") });
    this.button = button;
    this.chips = PRIORITIES.map((priority) =>
      make(
        "button",
        {
          type: "button",
          class: "o-chip",
          on: { click: () => this.dispatchEvent(new CustomEvent("o-pick", { detail: priority })) },
        },
        say(`order.${priority}`),
      ),
    );
    this.seeds = make("input", { type: "number", min: 2, max: MOST_SEEDS, value: 4, "aria-label": say("order.seeds") });
    const queue = make(
      "button",
      { type: "button", class: "o-btn", on: { click: () => this.#queue(pop) } },
      say("order.queue"),
    );
    pop.panel.append(
      make("b", {}, say("order.priority")),
      make("div", { class: "o-chip-group", role: "group", "aria-label": say("order.priority") }, ...this.chips),
      make("b", {}, say("order.batch")),
      make("div", { class: "o-save" }, this.seeds, queue),
    );
    this.append(pop.node);
    this.value = this.#priority;
  }

  get value() {
    return this.#priority;
  }

  set value(priority) {
    this.#priority = priority ?? "normal";
    this.chips?.forEach((chip, index) => mark(chip, "aria-pressed", String(PRIORITIES[index] === this.#priority)));
    if (this.button) mark(this.button, "data-priority", this.#priority);
  }

  // From the seed of the form on: one job each, all or none.
  async #queue(pop) {
    const count = Math.min(Math.max(Math.round(Number(this.seeds.value)) || 2, 2), MOST_SEEDS);
    const first = Number(form.values["sampling.seed"]);
    const request = { ...form.request(), count: 1 };
    const seeds = [...Array(count).keys()].map((index) => first + index);
    const batch = await askJson("POST", "/v1/batches", {
      request,
      axes: { "sampling.seed": seeds },
      priority: this.#priority,
    });
    if (!batch) return;
    pop.close();
    selection.follow();
    toast(say("order.queued", { count: batch.jobs.length }));
  }
}

customElements.define("o-order", Order);
