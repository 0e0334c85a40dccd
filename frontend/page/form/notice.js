// What is to be known about the checkpoint before pressing Generate: not ready yet, not loaded, never trained, or
// trained on little.

import { checkpoint as known } from "../data/checkpoint.js";
import { kind, places, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

class Notice extends Part {
  sources() {
    return [live, known];
  }

  build() {
    this.lead = make("b");
    this.rest = make("span");
    this.setAttribute("role", "status");
    this.way = make("a", { href: places.checkpoints.path }, places.checkpoints.title);
    this.append(this.lead, " ", this.rest, " ", this.way);
  }

  paint(state) {
    const checkpoint = state.system.checkpoint;
    const [tone, lead, rest] = checkpoint ? this.#words(checkpoint) : ["", "", ""];
    show(this, Boolean(tone));
    mark(this, "data-tone", tone);
    write(this.lead, lead);
    write(this.rest, rest);
    show(this.way, tone === "bad");
  }

  #words({ id, state, title, error, random_weights: random }) {
    const own = known.details?.id === id ? known.details : null; // the last one's stay until the server has answered
    if (state === "failed") return ["bad", say("notice.failed", { title }), faultWords(error)];
    const refused = known.refusal("kind", kind);
    if (refused) return ["bad", refused, say("notice.elsewhere")];
    if (state !== "ready") return ["wait", "", say(`notice.${state}`, { title })];
    if (random || own?.simulated) return ["quiet", "", own?.summary || say("notice.random", { title })];
    return ["", "", ""];
  }
}

customElements.define("o-notice", Notice);
