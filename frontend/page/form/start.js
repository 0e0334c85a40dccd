// What a clip starts from: nothing, a picture, or another clip and how much of it stays.

import { say } from "../data/facts.js";
import { form } from "./values.js";
import { HeldPart } from "./held_part.js";
import { MediaBox } from "../media/media_box.js";
import { make, mark, show, write } from "../parts/nodes.js";

const NONE = { start_image: null, source_video: null, condition_frames: [0, 1], condition_end: "first" };
const STRIDE = 4; // frames to a latent frame, after the first

/** Frames in the first latent frames: two are five. */
const framesOf = (latents) => 1 + STRIDE * (latents - 1);

class Start extends HeldPart {
  blank() {
    return NONE;
  }

  build() {
    this.box = new MediaBox({
      types: ["image", "video"],
      title: say("start.title"),
      empty: say("start.empty"),
      picked: ({ id, type }) => this.put({ ...NONE, [type === "image" ? "start_image" : "source_video"]: id }),
      cleared: () => this.put(NONE),
    });
    this.range = make("input", { type: "range", min: 1, "aria-label": say("start.kept") });
    this.number = make("span", { class: "o-num" });
    this.ends = ["first", "last"].map((end) =>
      make(
        "button",
        { type: "button", class: "o-chip", on: { click: () => this.put({ condition_end: end }) } },
        say(`start.${end}`),
      ),
    );
    this.kept = make(
      "div",
      { class: "o-kept", hidden: true },
      make("span", { class: "o-line-title" }, make("b", {}, say("start.kept")), this.number),
      this.range,
      make("div", { class: "o-chip-group", role: "group", "aria-label": say("start.end") }, ...this.ends),
    );
    this.range.addEventListener("input", () =>
      this.put({ condition_frames: [...Array(Number(this.range.value)).keys()] }),
    );
    this.append(this.box.node, this.kept);
  }

  paint() {
    const { start_image: image, source_video: clip, condition_frames: frames, condition_end: end } = this.held;
    this.box.show(image ?? clip ?? null);
    mark(this, "data-mode", image ? "image" : clip ? "clip" : "text");
    show(this.kept, Boolean(clip));
    if (!clip) return;
    const asked = form.get("num_frames") ?? 17;
    this.range.max = Math.max((asked - 1) / STRIDE, 1);
    this.range.value = frames.length;
    this.range.style.setProperty(
      "--range_progress",
      `${(100 * (frames.length - 1)) / Math.max(this.range.max - 1, 1)}%`,
    );
    write(this.number, say("start.of", { kept: framesOf(frames.length), frames: asked }));
    this.ends.forEach((button, index) => mark(button, "aria-pressed", String(["first", "last"][index] === end)));
  }
}

customElements.define("o-start", Start);
