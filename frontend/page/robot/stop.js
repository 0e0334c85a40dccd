// The emergency stop. Its markup is in the served HTML; it works before Gradio has drawn anything, whoever is in
// control.

import { mark } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { robot } from "./link.js";

class RobotStop extends Part {
  sources() {
    return [robot];
  }

  build() {
    this.button = this.querySelector("button");
    // When the finger comes down, not when it leaves.
    this.button.addEventListener("pointerdown", (event) => event.button === 0 && robot.stop());
    // A click of the keyboard or a screen reader has no pointer before it.
    this.button.addEventListener("click", (event) => event.detail === 0 && robot.stop());
  }

  paint() {
    mark(this, "data-live", robot.engaged || Boolean(robot.busy));
  }
}

customElements.define("o-robot-stop", RobotStop);
