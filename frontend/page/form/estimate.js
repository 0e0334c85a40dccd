// What pressing the button will cost, from what this machine took for the same canvas before.

import { copyButtons } from "./copies.js";
import { duration, kind, say } from "../data/facts.js";
import { form } from "./values.js";
import { estimates } from "./estimates.js";
import { before } from "../data/jobs.js";
import { canMake } from "../data/kinds.js";
import { live } from "../data/live.js";
import { make, mark, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

class Estimate extends Part {
  sources() {
    return [live, form, estimates];
  }

  build() {
    this.line = make("span");
    this.append(
      this.line,
      make(
        "span",
        { class: "o-copies", role: "group", "aria-label": say("copy.label") },
        say("copy.label"),
        ...copyButtons(),
      ),
    );
  }

  paint(state) {
    write(this.line, form.values ? this.#words(state).filter(Boolean).join(" · ") : "");
    mark(this.line, "title", estimates.latest?.reason);
  }

  #words(state) {
    const [steps, count] = [form.values["sampling.num_inference_steps"], form.values.count];
    const { seconds, basis, queue_seconds: queue } = estimates.latest ?? {};
    const measured =
      seconds != null && say(basis === "similar" ? "estimate.similar" : "estimate.time", { time: duration(seconds) });
    return [
      count > 1 && say(canMake(kind, "image") ? "estimate.pictures" : "estimate.clips", { count }),
      measured || say(steps === 1 ? "estimate.step" : "estimate.steps", { steps }),
      this.#wait(state, measured, queue),
    ];
  }

  #wait(state, measured, queue) {
    const checkpoint = state.system.checkpoint;
    if (checkpoint && checkpoint.state !== "ready") return say("estimate.held", { title: checkpoint.title });
    const jobs = before(state);
    if (!jobs) return measured ? "" : say("estimate.now");
    const after = jobs === 1 ? say("estimate.after_one") : say("estimate.after", { jobs });
    return queue ? `${after}, ${say("estimate.after_time", { time: duration(queue) })}` : after;
  }
}

customElements.define("o-estimate", Estimate);
