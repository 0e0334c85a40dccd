// Checkpoints: what is installed, what fits, what is in memory; load, unload, verify, fetch.

import { CheckpointCard } from "./card.js";
import { say } from "../parts/facts.js";
import { live } from "../parts/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { bytes } from "../parts/recipe.js";
import { ask } from "../parts/server.js";

const GB = 1e9;

class Checkpoints extends Part {
  #found = null; // as GET /v1/checkpoints answered
  #asked = "";
  #cards = new Map();

  build() {
    this.meter = make("div", {
      class: "o-bar",
      role: "meter",
      "aria-label": say("checkpoints.memory"),
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    });
    this.fill = make("i");
    this.meter.append(this.fill);
    this.used = make("b", { role: "status" });
    this.free = make("span", { class: "o-hint" });
    this.device = make(
      "div",
      { class: "o-card-plain o-device", hidden: true },
      make("div", { class: "o-between" }, this.used, this.free),
      this.meter,
    );
    this.list = make("div", { class: "o-checkpoints" });
    this.starts = make("p", { class: "o-hint", hidden: true });
    this.append(this.device, this.starts, this.list);
  }

  paint({ system }) {
    // Asked again whenever a state changes; how far something is comes over the socket alone.
    const stateOf = (entries) => Object.entries(entries ?? {}).map(([id, { what, state }]) => [id, what, state]);
    const now = JSON.stringify([
      system.checkpoint?.id,
      system.checkpoint?.state,
      stateOf(system.checkpoints),
      stateOf(system.errands),
    ]);
    if (live.seq >= 0 && now !== this.#asked) {
      this.#asked = now;
      this.#ask();
    }
    if (!this.#found) return;
    const { checkpoints, memory, starts_with: starts } = this.#found;
    const active = checkpoints.find((entry) => entry.active);
    const told = checkpoints.find((entry) => entry.id === starts);
    show(this.starts, Boolean(told && active));
    if (told && active)
      write(this.starts, say(told === active ? "checkpoints.stays" : "checkpoints.told", { title: told.title }));
    this.#paintMemory(memory);
    checkpoints.forEach((entry, index) => {
      if (!this.#cards.has(entry.id)) this.#cards.set(entry.id, new CheckpointCard(entry));
      const card = this.#cards.get(entry.id);
      if (this.list.children[index] !== card.node) this.list.insertBefore(card.node, this.list.children[index] ?? null);
      card.paint(entry, { told: system.checkpoints?.[entry.id], errand: system.errands?.[entry.id], memory, starts });
    });
  }

  #paintMemory(memory) {
    show(this.device, Boolean(memory));
    if (!memory) return;
    const { place, total_gb: total, free_gb: free } = memory;
    const share = (total - free) / (total || 1);
    write(this.used, say(`checkpoints.used_${place}`, { used: bytes((total - free) * GB), total: bytes(total * GB) }));
    write(this.free, say("checkpoints.free", { size: bytes(free * GB) }));
    mark(this.meter, "aria-valuenow", Math.round(share * 100));
    mark(this.meter, "data-full", share > 0.9 ? "true" : null);
    this.fill.style.width = `${share * 100}%`;
  }

  // What serves first, then what is warm or sleeps, what is here or is built here at once, what must be fetched first;
  // each in the order that the server has them.
  async #ask() {
    const answer = await ask("GET", "/v1/checkpoints");
    if (!answer) return;
    const rank = ({ active, loaded, state, installed, repository }) =>
      active ? 0 : loaded || state === "asleep" ? 1 : installed || !repository ? 2 : 3;
    this.#found = { ...answer, checkpoints: answer.checkpoints.toSorted((a, b) => rank(a) - rank(b)) };
    this.later();
  }
}

customElements.define("o-checkpoints", Checkpoints);
