// The base of every element that draws the live state: built once, painted at most once per animation frame.

import { live } from "../data/live.js";

export class Part extends HTMLElement {
  #due = 0;
  #built = false;
  #later = () => this.later();

  connectedCallback() {
    if (!this.#built) {
      this.#built = true;
      this.build();
    }
    for (const source of this.sources()) {
      source.addEventListener("state", this.#later);
    }
    this.later();
  }

  disconnectedCallback() {
    for (const source of this.sources()) source.removeEventListener("state", this.#later);
  }

  /**
   * What it redraws itself for; each dispatches "state".
   *
   * @returns {EventTarget[]}
   */
  sources() {
    return [live];
  }

  /** Make the children; called once. */
  build() {}

  /** Bring the children up to date. */
  paint(_state) {}

  later() {
    this.#due ||= requestAnimationFrame(() => {
      this.#due = 0;
      if (this.isConnected) this.paint(live.state);
    });
  }
}
