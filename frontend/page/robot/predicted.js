// The frames that a policy predicted with its last chunk, played over and over beside the camera, where a person asks.

import { say } from "../data/facts.js";
import { make, mark, show } from "../parts/nodes.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { robot } from "./link.js";

const FRAME_MS = 1000 / 15;
const TOPIC = "predicted";

export class PredictedVideo {
  #frames = [];
  #at = 0;
  #timer = null;

  constructor() {
    this.node = make("canvas", {
      class: "o-predicted",
      role: "img",
      "aria-label": say("view.predicted_label"),
      hidden: true,
    });
    this.picture = new PictureCanvas(this.node, () => show(this.node, this.#timer !== null));
    this.button = make(
      "button",
      { type: "button", class: "o-btn", "aria-pressed": "false", hidden: true, on: { click: () => this.#toggle() } },
      say("view.predicted"),
    );
    robot.addEventListener("frame", ({ detail: { topic, image } }) => {
      const [name, index] = topic.split("/");
      if (name !== TOPIC) return;
      if (index === "0") this.#frames = [];
      this.#frames[Number(index)] = image;
    });
  }

  #toggle() {
    const on = this.#timer === null;
    mark(this.button, "aria-pressed", String(on));
    robot.want(TOPIC, on);
    if (on) {
      this.#timer = setInterval(() => this.#play(), FRAME_MS);
      return;
    }
    clearInterval(this.#timer);
    this.#timer = null;
    this.#frames = [];
    show(this.node, false);
  }

  #play() {
    if (!this.#frames.length || document.hidden) return;
    this.#at = (this.#at + 1) % this.#frames.length;
    if (this.#frames[this.#at]) this.picture.show(this.#frames[this.#at]);
  }
}
