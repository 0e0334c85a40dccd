// The form as its components last said it, for everything that reads it without asking the server.

import { checkpoint } from "../data/checkpoint.js";
import { canvasOf, kind } from "../data/facts.js";
import { Store } from "../data/store.js";

const LOCK = "seed_lock";
const PRIORITY = "priority";
const SEED = "sampling.seed";
const HOLDS = "@"; // a part that holds several fields is named so

class FormValues extends Store {
  values = null; // by dotted path; null until the form has been restored

  /** Called by the page at every change; what it returns is the draft that the browser keeps. */
  remember(names, values) {
    this.values = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    checkpoint.pick(this.get("checkpoint") ?? null);
    document.documentElement.dataset.form = "restored";
    this.changed();
    return this.draft;
  }

  /** The values, and for which checkpoint they were set. */
  get draft() {
    const { [LOCK]: lock, [PRIORITY]: _, ...kept } = this.values;
    return { checkpoint: checkpoint.id ?? null, values: kept, lock };
  }

  get canvas() {
    return this.values && canvasOf(this.values.resolution, this.values.aspect_ratio);
  }

  /** A field of the request, wherever the form keeps it. */
  get(path) {
    return this.values && (path in this.values ? this.values[path] : this.#held()[path]);
  }

  // What the parts hold that stand for several fields; what they leave empty is not said.
  #held() {
    const parts = Object.entries(this.values).filter(([name]) => name.startsWith(HOLDS));
    const fields = parts.flatMap(([, held]) => Object.entries(held ?? {}));
    return Object.fromEntries(fields.filter(([, value]) => value != null));
  }

  /** The JSON that Generate posts; an unlocked seed is left to the server, which draws one. */
  request() {
    const request = { kind };
    for (const [path, value] of Object.entries({ ...this.values, ...this.#held() })) {
      if (path === LOCK || path === PRIORITY || path.startsWith(HOLDS) || (path === SEED && !this.values[LOCK]))
        continue;
      const groups = path.split(".");
      const name = groups.pop();
      let level = request;
      for (const group of groups) level = level[group] ??= {};
      level[name] = value;
    }
    return request;
  }
}

export const form = new FormValues();
