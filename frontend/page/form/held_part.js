// A part of the form that holds several fields of the request: its value is an object of them.

import { checkpoint } from "../data/checkpoint.js";
import { form } from "./values.js";
import { Part } from "../parts/part.js";

export class HeldPart extends Part {
  held = this.blank();

  sources() {
    return [form, checkpoint];
  }

  /** The fields, and what they are before anything is said. */
  blank() {
    return {};
  }

  get value() {
    return this.held;
  }

  set value(value) {
    this.held = { ...this.blank(), ...(value ?? {}) };
    this.later();
  }

  /** Say some of the fields anew; the others stay. */
  put(changes) {
    this.dispatchEvent(new CustomEvent("o-pick", { detail: { ...this.held, ...changes } }));
  }
}
