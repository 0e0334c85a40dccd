// What is worth trying, as small buttons below the prompt: the checkpoint's own examples, else the page's.

import { checkpoint } from "../data/checkpoint.js";
import { kind, page, say, starters } from "../data/facts.js";
import { make, show } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { fill } from "../parts/reuse.js";
import { storedSample } from "../media/samples.js";

/** Fill an example in; the picture or clip that it needs goes to the server first. */
async function begin({ sample, sample_name: name, ...values }) {
  if (!sample) return fill({ start_image: null, source_video: null, ...values }); // not the last one's picture
  const item = await storedSample(sample === "start_image" ? "image" : "video", name);
  if (!item) return;
  const other = sample === "start_image" ? "source_video" : "start_image";
  fill({ ...values, [other]: null, [sample]: item.id });
}

/** The checkpoint's own for this page; those of clips are for the page of sound where they have one. */
const own = () => (checkpoint.details.examples?.[kind] ?? []).filter(({ values }) => page !== "sound" || values.sound);

class Examples extends Part {
  #drawn = null;

  sources() {
    return [checkpoint];
  }

  paint() {
    if (!checkpoint.details || this.#drawn === checkpoint.details) return;
    this.#drawn = checkpoint.details;
    const examples = (own().length ? own() : starters).filter(({ values }) => checkpoint.takes(values));
    show(this, examples.length > 0);
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", say("form.examples"));
    this.replaceChildren(
      make("span", {}, say("form.examples")),
      ...examples.map(({ title, values }) =>
        make(
          "button",
          { type: "button", class: "o-chip", title: values.prompt, on: { click: () => begin(values) } },
          title,
        ),
      ),
    );
  }
}

customElements.define("o-examples", Examples);
