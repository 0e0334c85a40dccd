// Whose actions they are: the embodiment, and the width of an action where the data set decides it.

import { bodies, say } from "../data/facts.js";
import { HeldPart } from "../form/held_part.js";
import { make, show, write } from "../parts/nodes.js";
import { Choice } from "../form/select.js";

const WIDTH = 7; // LIBERO's own: six of the pose and the gripper

class Body extends HeldPart {
  blank() {
    return { embodiment: null, action_width: null };
  }

  build() {
    const picked = (embodiment) =>
      this.put({ embodiment, action_width: bodies[embodiment][0] === null ? WIDTH : null });
    const options = Object.keys(bodies).map((name) => [name.replaceAll("_", " "), name]);
    this.choice = new Choice({ label: say("body.title"), help: say("body.help"), path: "embodiment", options, picked });
    this.width = make("input", { type: "number", min: 1, max: 1024, "aria-label": say("body.width") });
    this.width.addEventListener("change", () =>
      this.put({ action_width: Math.max(1, Math.round(Number(this.width.value) || WIDTH)) }),
    );
    this.line = make("label", { class: "o-body-width" }, make("span", {}, say("body.width")), this.width);
    this.facts = make("span", { class: "o-media-facts" });
    this.append(this.choice.node, this.line, this.facts);
  }

  paint() {
    const { embodiment, action_width: width } = this.held;
    this.choice.paint(embodiment);
    const [own, state] = bodies[embodiment] ?? [];
    show(this.line, own === null);
    if (document.activeElement !== this.width) this.width.value = width ?? WIDTH;
    write(
      this.facts,
      embodiment
        ? [say("body.values", { values: own ?? width }), state && say("body.state", { values: state })]
            .filter(Boolean)
            .join(" · ")
        : "",
    );
  }
}

customElements.define("o-body", Body);
