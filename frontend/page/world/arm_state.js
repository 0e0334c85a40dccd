// Where the arm is, for embodiments whose policy is told.

import { bodies, say } from "../data/facts.js";
import { form } from "../form/values.js";
import { HeldPart } from "../form/held_part.js";
import { make, show } from "../parts/nodes.js";

const REST = [0, -0.6, 0, -2.5, 0, 1.9, 0, 1]; // an arm bent over its table, the gripper closed

class ArmState extends HeldPart {
  #asked = 0; // values of the present embodiment

  blank() {
    return { state: null };
  }

  build() {
    this.inputs = make("div", { class: "o-state-values" });
    const rest = make(
      "button",
      { type: "button", class: "o-link", on: { click: () => this.put({ state: this.#rest() }) } },
      say("state.rest"),
    );
    this.append(
      make(
        "span",
        { class: "o-line-title" },
        make("b", {}, say("state.title")),
        make("small", {}, say("state.help")),
        rest,
      ),
      this.inputs,
    );
  }

  #rest() {
    return [...Array(this.#asked).keys()].map((index) => (this.#asked === REST.length ? REST[index] : 0));
  }

  paint() {
    const [, values] = bodies[form.get("embodiment")] ?? [null, 0];
    this.#asked = values;
    show(this, values > 0);
    const state = this.held.state;
    // A state of another embodiment is none of this one's.
    if (form.values && (state?.length ?? 0) !== values) {
      this.put({ state: values ? this.#rest() : null });
      return;
    }
    if (this.inputs.children.length !== values)
      this.inputs.replaceChildren(...[...Array(values).keys()].map((index) => this.#input(index)));
    [...this.inputs.children].forEach((label, index) => {
      const input = label.querySelector("input");
      if (document.activeElement !== input) input.value = state[index];
    });
  }

  #input(index) {
    const last = index === this.#asked - 1;
    const words = last ? say("state.gripper") : say("state.joint", { joint: index + 1 });
    const input = make("input", { type: "number", step: last ? 0.1 : 0.05 });
    input.addEventListener("change", () =>
      this.put({ state: this.held.state.map((value, at) => (at === index ? Number(input.value) || 0 : value)) }),
    );
    return make("label", {}, make("span", {}, words), input);
  }
}

customElements.define("o-state", ArmState);
