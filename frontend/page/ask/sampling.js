// How answers are drawn: their length, temperature and seed, kept in this browser. What is left empty is the reasoner's
// own.

import { say } from "../data/facts.js";
import { Icon } from "../parts/icons.js";
import { NumberField } from "../parts/number_field.js";
import { Popover } from "../parts/popover.js";
import { SeedButtons } from "../parts/seed.js";
import { seen, Store } from "../data/store.js";
import { html } from "../vendor/preact.js";

const KEY = "orrery.ask.sampling";
const SEEDS = 2 ** 32; // of those that are drawn
// As studio.requests.TextSampling bounds them.
const BOUNDS = {
  max_tokens: { min: 1, max: 65536, step: 1 },
  temperature: { min: 0, max: 2, step: 0.05 },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 },
};

const drawn = () => Math.floor(Math.random() * SEEDS);

class Sampling extends Store {
  values = read(); // { max_tokens, temperature, seed, locked }; null is unsaid

  /** For a question in words: a seed that is not locked is drawn anew, and shown. */
  forWords() {
    if (!this.values.locked) this.say({ seed: drawn() });
    const { max_tokens, temperature, seed } = this.values;
    return said({ max_tokens, temperature, seed });
  }

  /** For a task, which has a temperature and a seed of its own; a locked one takes the place of that. */
  forTask() {
    const { max_tokens, seed, locked } = this.values;
    return said({ max_tokens, seed: locked ? seed : null });
  }

  say(changes) {
    this.values = { ...this.values, ...changes };
    try {
      localStorage[KEY] = JSON.stringify(this.values);
    } catch {
      // Nothing more fits: they hold until the page is closed.
    }
    this.changed();
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

export const sampling = new Sampling();

export const AskSampling = () => html`
  <o-ask-sampling>
    <${Popover}
      label=${say("ask.advanced")}
      up
      data-do="sampling"
      face=${html`<${Icon} name="filter" size="15" /><span>${say("ask.advanced")}</span>`}
    >
      ${() => html`${Object.keys(BOUNDS).map((name) => html`<${Bounded} name=${name} />`)}<${Seed} />`}
    <//>
  </o-ask-sampling>
`;

function Bounded({ name }) {
  const { min, max, step } = BOUNDS[name];
  const value = seen(sampling).values[name] ?? "";
  const take = (text) => {
    const number = Math.min(Math.max(Number(text), min), max);
    const next = text.trim() === "" || Number.isNaN(number) ? null : step === 1 ? Math.round(number) : number;
    sampling.say(name === "seed" ? { seed: next, locked: next !== null } : { [name]: next });
  };
  return html`
    <label>
      <b>${say(`ask.${name}`)}</b>
      <small>${say(`ask.${name}_help`)}</small>
      <${NumberField}
        name=${name}
        ...${BOUNDS[name]}
        inputmode=${step === 1 ? "numeric" : "decimal"}
        placeholder=${say(name === "seed" ? "ask.seed_drawn" : "ask.own")}
        value=${value}
        take=${take}
      />
    </label>
  `;
}

function Seed() {
  const { seed, locked } = seen(sampling).values;
  const next = () => sampling.say({ seed: Math.min((seed ?? drawn()) + 1, BOUNDS.seed.max), locked: true });
  const lock = () => sampling.say({ locked: !locked, ...(!locked && seed == null ? { seed: drawn() } : {}) });
  const fresh = () => sampling.say({ seed: drawn(), locked: true });
  return html`
    <o-seed><${SeedButtons} locked=${locked} fresh=${fresh} next=${next} lock=${lock} /></o-seed>
  `;
}
