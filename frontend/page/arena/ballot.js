// The ballot: a question a line, four answers each. One line is marked; a key answers it and marks the next.

import { say } from "../data/facts.js";
import { make, mark } from "../parts/nodes.js";

const CHOICES = ["left", "tie", "right", "bad"];
const KEYS = { 1: "left", 2: "right", 0: "tie", b: "bad" };
const SHOWN = { left: "1", right: "2", tie: "0", bad: "B" };

export class Ballot extends EventTarget {
  choices = {};
  #axes = [];
  #marked = 0;
  #lines = new Map();

  constructor() {
    super();
    this.node = make("div", { class: "o-ballot" });
  }

  /** Take a pair's axes and what was chosen before. */
  take(axes, choices = {}) {
    this.choices = Object.fromEntries(Object.entries(choices).filter(([axis]) => axes.includes(axis)));
    this.#axes = axes;
    const first = axes.findIndex((axis) => !this.choices[axis]);
    this.#marked = Math.max(first, 0);
    this.#lines = new Map(axes.map((axis) => [axis, this.#line(axis)]));
    this.node.replaceChildren(...[...this.#lines.values()].map(({ node }) => node));
    this.#paint();
  }

  /** Whether it can be handed in. */
  get whole() {
    return Boolean(this.choices.overall);
  }

  set locked(locked) {
    mark(this.node, "data-locked", locked || null);
    for (const { buttons } of this.#lines.values()) for (const button of buttons) button.disabled = locked;
  }

  /** A key that is the ballot's; true if it was. */
  key(event) {
    const choice = KEYS[event.key.toLowerCase()];
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (choice) this.#choose(this.#axes[this.#marked], choice);
    else if (by) this.#mark((this.#marked + by + this.#axes.length) % this.#axes.length);
    else return false;
    return true;
  }

  #line(axis) {
    const title = make(
      "span",
      { class: "o-ballot-title", id: `ballot-${axis}` },
      make("b", {}, say(`axis.${axis}`)),
      make("small", {}, say(`asks.${axis}`)),
    );
    const buttons = CHOICES.map((choice) =>
      make(
        "button",
        {
          type: "button",
          role: "radio",
          class: "o-btn",
          "data-choice": choice,
          "aria-keyshortcuts": SHOWN[choice],
          on: { click: () => this.#choose(axis, choice), keydown: (event) => this.#arrows(event, axis) },
        },
        say(`choice.${choice}`),
        make("kbd", { "aria-hidden": "true" }, SHOWN[choice]),
      ),
    );
    const group = make(
      "span",
      { class: "o-ballot-choices", role: "radiogroup", "aria-labelledby": title.id },
      ...buttons,
    );
    return {
      buttons,
      node: make(
        "div",
        { class: "o-ballot-line", "data-axis": axis, on: { pointerdown: () => this.#mark(this.#axes.indexOf(axis)) } },
        title,
        group,
      ),
    };
  }

  #choose(axis, choice) {
    if ("locked" in this.node.dataset) return;
    this.choices = { ...this.choices, [axis]: choice };
    this.#marked = Math.min(this.#axes.indexOf(axis) + 1, this.#axes.length - 1);
    this.#paint();
    this.dispatchEvent(new Event("choice"));
  }

  #mark(index) {
    this.#marked = index;
    this.#paint();
  }

  // Within a line, left and right move between its answers, as in any group of radio buttons.
  #arrows(event, axis) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const { buttons } = this.#lines.get(axis);
    const to = buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length];
    to.focus();
  }

  #paint() {
    this.#axes.forEach((axis, index) => {
      const { node, buttons } = this.#lines.get(axis);
      mark(node, "data-marked", index === this.#marked || null);
      for (const button of buttons) {
        const chosen = this.choices[axis] === button.dataset.choice;
        mark(button, "aria-checked", String(chosen));
        mark(button, "tabindex", chosen || (!this.choices[axis] && button === buttons[0]) ? 0 : -1);
      }
    });
  }
}
