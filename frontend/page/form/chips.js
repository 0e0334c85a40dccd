// A choice as chips: a radio group whose options can be refused with a reason that hover and focus both show.

import { checkpoint } from "../data/checkpoint.js";
import { make, mark, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
let count = 0;

class Chips extends Part {
  #value = null;

  sources() {
    return [checkpoint];
  }

  build() {
    this.spec = JSON.parse(this.dataset.spec);
    const id = `o-chips-${++count}`;
    this.group = make(
      "div",
      { class: "o-chip-group", role: "radiogroup", "aria-labelledby": id },
      ...this.spec.options.map(([shown]) => make("button", { type: "button", class: "o-chip", role: "radio" }, shown)),
    );
    this.why = make("span", { class: "o-why", id: `${id}-why` });
    const title = make("span", { class: "o-chip-title" }, make("b", { id }, this.spec.label));
    if (this.spec.beside) title.append(make(this.spec.beside));
    else if (this.spec.help) title.append(make("small", {}, this.spec.help));
    this.append(title, this.group, this.why);
    this.group.addEventListener("click", (event) => this.#pick(event.target.closest("[role=radio]")));
    this.group.addEventListener("keydown", (event) => this.#step(event));
    for (const event of ["focusin", "pointerover"]) {
      this.group.addEventListener(event, ({ target }) => write(this.why, target.dataset?.why ?? this.#chosenWhy()));
    }
    for (const event of ["focusout", "pointerleave"])
      this.group.addEventListener(event, () => write(this.why, this.#chosenWhy()));
  }

  set value(value) {
    this.#value = value;
    this.later();
  }

  paint() {
    const buttons = [...this.group.children];
    const chosen = this.spec.options.findIndex(([, value]) => value === this.#value);
    buttons.forEach((button, index) => {
      const why = checkpoint.refusal(this.spec.path, this.spec.options[index][1]);
      mark(button, "aria-checked", String(index === chosen));
      button.tabIndex = index === Math.max(chosen, 0) ? 0 : -1;
      mark(button, "aria-disabled", why ? "true" : null);
      mark(button, "aria-describedby", why ? this.why.id : null);
      mark(button, "data-why", why || null);
    });
    if (!this.group.matches(":hover, :focus-within")) write(this.why, this.#chosenWhy());
  }

  // Why the chosen one cannot be had: that is said without being asked for.
  #chosenWhy() {
    return checkpoint.refusal(this.spec.path, this.#value);
  }

  #pick(button) {
    if (!button) return;
    button.focus();
    if (button.dataset.why) return;
    const [, value] = this.spec.options[[...this.group.children].indexOf(button)];
    this.dispatchEvent(new CustomEvent("o-pick", { detail: value }));
  }

  // Arrows reach refused options too, so that the keyboard hears why; they are passed over, not chosen.
  #step(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...this.group.children];
    this.#pick(buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length]);
  }
}

customElements.define("o-chips", Chips);
