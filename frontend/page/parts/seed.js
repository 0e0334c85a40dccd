// "New", "+1" and "lock" beside the seed. Its value is whether the seed is locked.

import { say } from "../data/facts.js";
import { icon } from "./icons.js";
import { make, mark } from "./nodes.js";

const CLOSED = "closed";
const OPEN = "open";

class Seed extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const button = (word, event, ...drawn) =>
      make(
        "button",
        { type: "button", class: "o-btn", title: say(`form.${word}_help`), on: { click: event } },
        ...drawn,
        say(`form.${word}`),
      );
    this.fresh = button("new", () => this.dispatchEvent(new Event("o-fresh")), icon("again", 15));
    this.next = button("next", () => this.dispatchEvent(new Event("o-next")));
    this.lock = button(
      "lock",
      () => this.dispatchEvent(new CustomEvent("o-pick", { detail: !this.value })),
      icon(OPEN, 15),
    );
    this.append(this.fresh, this.next, this.lock);
    this.value = false;
  }

  get value() {
    return this.lock.getAttribute("aria-pressed") === "true";
  }

  set value(locked) {
    mark(this.lock, "aria-pressed", String(Boolean(locked)));
    this.lock.querySelector("svg").replaceWith(icon(locked ? CLOSED : OPEN, 15));
  }
}

customElements.define("o-seed", Seed);
