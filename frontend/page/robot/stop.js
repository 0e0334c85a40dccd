// The emergency stop. Its markup is in the served HTML; it works before Gradio has drawn anything, whoever is in
// control, and waits for nothing that is drawn.

import { robot } from "./link.js";

class RobotStop extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    // When the finger comes down, not when it leaves.
    button.addEventListener("pointerdown", (event) => event.button === 0 && robot.stop());
    // A click of the keyboard or a screen reader has no pointer before it.
    button.addEventListener("click", (event) => event.detail === 0 && robot.stop());
    robot.addEventListener("state", () => this.toggleAttribute("data-live", robot.engaged || Boolean(robot.busy)));
  }
}

customElements.define("o-robot-stop", RobotStop);
