// How answers are drawn: their length, temperature and seed, kept in this browser. What is left empty is the reasoner's
// own.

import "../form/seed.js";
import { say } from "../data/facts.js";
import { icon } from "../parts/icons.js";
import { make, mark } from "../parts/nodes.js";
import { popover } from "../parts/popover.js";

const KEY = "orrery.ask.sampling";
const SEEDS = 2 ** 32; // of those that are drawn
// As studio.requests.TextSampling bounds them.
const BOUNDS = {
  max_tokens: { min: 1, max: 65536, step: 1 },
  temperature: { min: 0, max: 2, step: 0.05 },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 },
};

const drawn = () => Math.floor(Math.random() * SEEDS);

class AskSampling extends HTMLElement {
  #values = read(); // { max_tokens, temperature, seed, locked }; null is unsaid

  connectedCallback() {
    if (this.firstChild) return;
    const button = make(
      "button",
      { type: "button", class: "o-btn", "data-do": "sampling" },
      icon("filter", 15),
      make("span", {}, say("ask.advanced")),
    );
    this.pop = popover(button, { up: true, label: say("ask.advanced"), opened: () => this.#paint() });
    this.inputs = Object.fromEntries(Object.entries(BOUNDS).map(([name, bounds]) => [name, this.#input(name, bounds)]));
    this.lock = make("o-seed");
    this.lock.addEventListener("o-fresh", () => this.#say({ seed: drawn(), locked: true }));
    this.lock.addEventListener("o-next", () =>
      this.#say({ seed: Math.min((this.#values.seed ?? drawn()) + 1, BOUNDS.seed.max), locked: true }),
    );
    this.lock.addEventListener("o-pick", ({ detail }) =>
      this.#say({ locked: detail, ...(detail && this.#values.seed == null ? { seed: drawn() } : {}) }),
    );
    this.pop.panel.append(
      ...["max_tokens", "temperature"].map((name) =>
        make(
          "label",
          {},
          make("b", {}, say(`ask.${name}`)),
          make("small", {}, say(`ask.${name}_help`)),
          this.inputs[name],
        ),
      ),
      make("label", {}, make("b", {}, say("ask.seed")), make("small", {}, say("ask.seed_help")), this.inputs.seed),
      this.lock,
    );
    this.append(this.pop.node);
    this.#paint();
  }

  /** For a question in words: a seed that is not locked is drawn anew, and shown. */
  forWords() {
    if (!this.#values.locked) this.#say({ seed: drawn() });
    const { max_tokens, temperature, seed } = this.#values;
    return said({ max_tokens, temperature, seed });
  }

  /** For a task, which has a temperature and a seed of its own; a locked one takes the place of that. */
  forTask() {
    const { max_tokens, seed, locked } = this.#values;
    return said({ max_tokens, seed: locked ? seed : null });
  }

  #input(name, { min, max, step }) {
    const change = () => {
      const number = Math.min(Math.max(Number(input.value), min), max);
      const value = input.value.trim() === "" || Number.isNaN(number) ? null : step === 1 ? Math.round(number) : number;
      this.#say(name === "seed" ? { seed: value, locked: value !== null } : { [name]: value });
    };
    const input = make("input", {
      class: "o-select o-num",
      type: "number",
      name,
      min,
      max,
      step: name === "temperature" ? step : 1,
      inputmode: step === 1 ? "numeric" : "decimal",
      on: { change },
    });
    return input;
  }

  #say(changes) {
    this.#values = { ...this.#values, ...changes };
    try {
      localStorage[KEY] = JSON.stringify(this.#values);
    } catch {
      // Nothing more fits: they hold until the page is closed.
    }
    this.#paint();
  }

  #paint() {
    for (const [name, input] of Object.entries(this.inputs)) {
      input.value = this.#values[name] ?? "";
      mark(input, "placeholder", say(name === "seed" ? "ask.seed_drawn" : "ask.own"));
    }
    this.lock.value = this.#values.locked;
  }
}

const said = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));

function read() {
  try {
    return JSON.parse(localStorage[KEY] ?? "{}");
  } catch {
    return {};
  }
}

customElements.define("o-ask-sampling", AskSampling);
