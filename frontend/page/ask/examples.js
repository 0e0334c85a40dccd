// Questions worth trying with this checkpoint; without a picture or a clip, the one that each was thought up for is
// shown.

import { asking } from "./asking.js";
import { talks } from "./store.js";
import { subject } from "./subject.js";
import { checkpoint } from "../data/checkpoint.js";
import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { make, show } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { storedSample } from "../media/samples.js";

async function begin({ prompt, sample, sample_name: name }, { thinks, sampling }) {
  if (asking.busy || subject.loading) return false;
  const item = subject.item || !sample ? null : await storedSample(sample, name, toast);
  if (!subject.item && sample) {
    if (!item) return false;
    subject.set(item); // unless one was chosen while this one was on its way
  }
  asking.words(prompt, thinks(), sampling.forWords());
  return true;
}

class AskExamples extends Part {
  how = null; // { thinks, sampling }: what the page says of answers

  sources() {
    return [checkpoint, subject, talks, asking];
  }

  // The chips go with the first turn; whoever pressed one by keyboard is then at the field for the next question.
  async #ask(values) {
    if (!(await begin(values, this.how))) return;
    /** @type {any} */ (this.closest("o-ask-talk")).field.focus();
  }

  paint() {
    const examples = checkpoint.details?.examples?.reason ?? [];
    const fit = examples.filter(({ values }) => !subject.item || subject.item.type === values.sample);
    show(this, fit.length > 0 && talks.turns(subject.id).length === 0);
    for (const button of this.querySelectorAll("button")) button.disabled = asking.busy;
    const key = fit.map(({ title }) => title).join();
    if (this.dataset.key === key) return;
    this.dataset.key = key;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", say("form.examples"));
    this.classList.add("o-chip-group");
    this.replaceChildren(
      ...fit.map(({ title, values }) =>
        make(
          "button",
          { type: "button", class: "o-chip", title: values.prompt, on: { click: () => this.#ask(values) } },
          title,
        ),
      ),
    );
  }
}

customElements.define("o-ask-examples", AskExamples);
