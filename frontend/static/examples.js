// The checkpoint's prompts worth trying, as small buttons below the prompt.

import { checkpoint } from "./checkpoint.js";
import { kind, say } from "./facts.js";
import { make, show } from "./nodes.js";
import { Part } from "./part.js";
import { fill } from "./reuse.js";

class Examples extends Part {
  #drawn = null;

  sources() {
    return [checkpoint];
  }

  paint() {
    const examples = checkpoint.details?.examples?.[kind] ?? [];
    show(this, examples.length > 0);
    if (examples === this.#drawn || !examples.length) return;
    this.#drawn = examples;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", say("form.examples"));
    this.replaceChildren(
      make("span", {}, say("form.examples")),
      ...examples.map(({ title, values }) =>
        make("button", { type: "button", class: "o-chip", title: values.prompt, on: { click: () => fill(values) } }, title),
      ),
    );
  }
}

customElements.define("o-examples", Examples);
