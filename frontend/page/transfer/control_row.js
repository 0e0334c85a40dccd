// One hint of a transfer: how strongly it is computed, or the clip that gives it; its weight; and what the model will
// see.

import { ControlPreview } from "./control_preview.js";
import { say } from "../data/facts.js";
import { MediaBox } from "../media/media_box.js";
import { make, mark, show, write } from "../parts/nodes.js";

const STRENGTHS = ["very_low", "low", "medium", "high", "very_high"];
const MOST_WEIGHT = 3; // of the slider; the request takes more

export class ControlRow {
  constructor(hint, computed, change) {
    this.computed = computed;
    this.strengths = STRENGTHS.map((strength) =>
      make(
        "button",
        { type: "button", class: "o-chip", on: { click: () => change({ strength }) } },
        say(`strength.${strength}`),
      ),
    );
    this.strength = make(
      "div",
      { class: "o-chip-group o-strengths", role: "group", "aria-label": say("controls.strength") },
      ...this.strengths,
    );
    this.weight = make("input", {
      type: "range",
      min: 0,
      max: MOST_WEIGHT,
      step: 0.05,
      "aria-label": say("controls.weight_of", { hint: say(`hint.${hint}`) }),
    });
    this.weight.addEventListener("input", () => change({ weight: Number(this.weight.value) }));
    this.number = make("span", { class: "o-num" });
    this.weights = make(
      "div",
      { class: "o-weight" },
      make("span", { class: "o-line-title" }, make("b", {}, say("controls.weight")), this.number),
      this.weight,
    );
    this.box = new MediaBox({
      types: ["video"],
      title: say(computed ? "controls.own_clip" : "controls.clip", { hint: say(`hint.${hint}`) }),
      empty: say(computed ? "controls.own_clip_empty" : "controls.clip_empty"),
      picked: ({ id }) => change({ video: id, strength: null }),
      cleared: () => change({ video: null }),
      small: true,
    });
    this.preview = computed ? new ControlPreview(hint, (video) => change({ video, strength: null })) : null;
    this.node = make(
      "section",
      { class: "o-control", "data-hint": hint, "aria-label": say(`hint.${hint}`) },
      make("h3", {}, say(`hint.${hint}`)),
      ...(this.preview ? [this.preview.node] : []),
      this.strength,
      this.weights,
      this.box.node,
    );
  }

  paint({ video, strength, weight }, source, values, num_controls) {
    const computes = this.computed && !video && Boolean(source);
    show(this.strength, computes);
    this.strengths.forEach((chip, index) =>
      mark(chip, "aria-pressed", String(STRENGTHS[index] === (strength ?? "medium"))),
    );
    show(this.weights, num_controls > 1 && values.control_attention !== "joint");
    this.weight.value = weight;
    this.weight.style.setProperty("--range_progress", `${(100 * Math.min(weight, MOST_WEIGHT)) / MOST_WEIGHT}%`);
    write(this.number, weight.toFixed(2));
    this.box.show(video ?? null);
    this.preview?.show(computes ? { source, strength: strength ?? "medium", ...values } : null);
  }
}
