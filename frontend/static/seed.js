// "New" and "lock" beside the seed. Its value is whether the seed is locked.

import { say } from "./facts.js";
import { make, mark } from "./nodes.js";

const SVG = "http://www.w3.org/2000/svg";
const CLOSED = "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11";
const OPEN = "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 6.8-1.2";
const FRESH = "M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 3.5v4h-4";

function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ class: "o-svg", width: 15, height: 15, viewBox: "0 0 24 24", "aria-hidden": true })) {
    svg.setAttribute(name, value);
  }
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

class Seed extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const button = (word, path, event) =>
      make("button", { type: "button", class: "o-btn", title: say(`form.${word}_help`), on: { click: event } }, icon(path), say(`form.${word}`));
    this.fresh = button("new", FRESH, () => this.dispatchEvent(new Event("o-fresh")));
    this.lock = button("lock", OPEN, () => this.dispatchEvent(new CustomEvent("o-pick", { detail: !this.value })));
    this.append(this.fresh, this.lock);
    this.value = false;
  }

  get value() {
    return this.lock.getAttribute("aria-pressed") === "true";
  }

  set value(locked) {
    mark(this.lock, "aria-pressed", String(Boolean(locked)));
    this.lock.querySelector("path").setAttribute("d", locked ? CLOSED : OPEN);
  }
}

customElements.define("o-seed", Seed);
