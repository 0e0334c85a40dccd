// The simulated table: which one it is, and another one by its seed. Not there beside a real arm.

import { say } from "../data/facts.js";
import { make, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { robot } from "./link.js";

class Scene extends Part {
  sources() {
    return [robot];
  }

  build() {
    this.seed = make("input", {
      type: "number",
      min: 0,
      step: 1,
      id: "robot-seed",
      inputmode: "numeric",
      "aria-label": say("scene.seed"),
    });
    this.seed.addEventListener("keydown", (event) => event.key === "Enter" && !this.reset.disabled && this.#reset());
    this.reset = make(
      "button",
      { type: "button", class: "o-btn", "data-do": "reset_scene", on: { click: () => this.#reset() } },
      say("scene.reset"),
    );
    this.note = make("small", { class: "o-num" });
    this.card = make(
      "div",
      { class: "o-scene" },
      make("label", { for: this.seed.id }, say("scene.title")),
      this.note,
      make("div", {}, this.seed, this.reset),
    );
    this.append(this.card);
  }

  // The next table is the next seed, so that pressing again shows another one; what cannot be a seed the robot refuses.
  async #reset() {
    const seed = this.seed.value === "" ? null : Number(this.seed.value);
    await robot.tell("reset_scene", { seed });
  }

  paint() {
    const seed = robot.now.connected ? (robot.now.summary?.scene_seed ?? null) : null;
    show(this.card, seed !== null);
    if (seed === null) return;
    if (this.shown !== seed) this.seed.value = seed + 1;
    this.shown = seed;
    write(this.note, say("scene.now", { seed }));
    this.reset.disabled = !robot.mine || robot.engaged || Boolean(robot.busy);
  }
}

customElements.define("o-robot-scene", Scene);
