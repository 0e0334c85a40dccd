// The form as its components last said it, for everything that reads it without asking the server.

import { canvasOf, kind } from "./facts.js";
import { live } from "./live.js";

const LOCK = "seed_lock";
const SEED = "sampling.seed";

class FormValues extends EventTarget {
  values = null; // by dotted path; null until the form has been restored

  /** Called by the page at every change; what it returns is the draft that the browser keeps. */
  remember(names, values) {
    this.values = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    this.dispatchEvent(new Event("state"));
    const { [LOCK]: lock, ...kept } = this.values;
    return { checkpoint: live.state.system.checkpoint?.id ?? null, values: kept, lock };
  }

  get canvas() {
    return this.values && canvasOf(this.values.resolution, this.values.aspect_ratio);
  }

  /** The JSON that Generate posts; an unlocked seed is left to the server, which draws one. */
  request() {
    const request = { kind };
    for (const [path, value] of Object.entries(this.values)) {
      if (path === LOCK || (path === SEED && !this.values[LOCK])) continue;
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
