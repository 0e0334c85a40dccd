// What pressing the button will cost, from what this machine took for the same canvas before.

import { copyAsCurl } from "./curl.js";
import { duration, say } from "./facts.js";
import { form } from "./form_values.js";
import { before, secondsFor } from "./jobs.js";
import { live } from "./live.js";
import { make, write } from "./nodes.js";
import { Part } from "./part.js";

class Estimate extends Part {
  sources() {
    return [live, form];
  }

  build() {
    this.line = make("span");
    this.append(this.line, make("button", { type: "button", class: "o-link", on: { click: copyAsCurl } }, say("curl.copy")));
  }

  paint(state) {
    write(this.line, form.values ? this.#words(state).filter(Boolean).join(" · ") : "");
  }

  #words(state) {
    const { values, canvas } = form;
    const [steps, count] = [values["sampling.num_inference_steps"], values.count];
    const seconds = canvas && secondsFor(state, canvas, steps * count);
    return [
      count > 1 && say("estimate.pictures", { count }),
      seconds ? say("estimate.time", { time: duration(seconds) }) : say(steps === 1 ? "estimate.step" : "estimate.steps", { steps }),
      this.#wait(state, seconds),
    ];
  }

  #wait(state, seconds) {
    const checkpoint = state.system.checkpoint;
    if (checkpoint && checkpoint.state !== "ready") return say("estimate.held", { title: checkpoint.title });
    const jobs = before(state);
    if (!jobs) return seconds ? "" : say("estimate.now");
    return jobs === 1 ? say("estimate.after_one") : say("estimate.after", { jobs });
  }
}

customElements.define("o-estimate", Estimate);
