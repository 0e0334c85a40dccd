// Reasoners that vote: one pair after the other, for as long as the page is open.

import { arena } from "./store.js";
import { counted, say } from "../data/facts.js";
import { hintOf } from "../data/faults.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { toast } from "../parts/errors.js";

const NUMBERS = [1, 10, 50];

class ArenaJudging extends Part {
  #stopping = null; // while it runs: what stops it

  sources() {
    return [arena];
  }

  build() {
    this.judge = make("select", {
      class: "o-select",
      "aria-label": say("judging.judge"),
      on: { focus: () => arena.askReasoners() },
    });
    this.number = make(
      "select",
      { class: "o-select", "aria-label": say("judging.number") },
      ...NUMBERS.map((number) => make("option", { value: number }, counted("judging.pairs", number))),
    );
    this.go = make(
      "button",
      { type: "button", class: "o-btn", "data-do": "judge", on: { click: () => this.#run() } },
      say("judging.go"),
    );
    this.stop = make(
      "button",
      { type: "button", class: "o-btn", hidden: true, on: { click: () => this.#stopping?.abort() } },
      say("judging.stop"),
    );
    this.told = make("span", { class: "o-hint", role: "status" });
    this.append(
      make(
        "section",
        { class: "o-card-plain o-arena-section" },
        make("h2", {}, say("judging.title")),
        make("p", { class: "o-hint" }, say("judging.hint")),
        make("div", { class: "o-arena-line" }, this.judge, this.number, this.go, this.stop, this.told),
      ),
    );
  }

  paint() {
    const key = JSON.stringify(arena.reasoners);
    if (this.judge.dataset.key !== key) {
      const chosen = this.judge.value;
      this.judge.dataset.key = key;
      this.judge.replaceChildren(
        ...arena.reasoners.map(({ name, title, ready }) =>
          make("option", { value: name, disabled: !ready }, ready ? title : say("judging.not_loaded", { title })),
        ),
      );
      const able = arena.reasoners.filter(({ ready }) => ready).map(({ name }) => name);
      this.judge.value = able.includes(chosen) ? chosen : (able[0] ?? "");
    }
    const running = this.#stopping !== null;
    this.go.disabled = running || !this.judge.value;
    show(this.stop, running);
    mark(this, "data-state", running ? "running" : "idle");
  }

  async #run() {
    const [judge, number] = [this.judge.value, Number(this.number.value)];
    this.#stopping = new AbortController();
    this.paint();
    let done = 0;
    try {
      for (; done < number; done += 1) {
        write(this.told, say("judging.running", { done, number }));
        const contest = arena.standings?.contest;
        const body = JSON.stringify({ judge, ...(contest ? { contest } : {}) });
        const response = await fetch("/v1/arena/judgements", {
          method: "POST",
          body,
          headers: { "content-type": "application/json" },
          signal: this.#stopping.signal,
        });
        const answer = await response.json();
        if (!response.ok) {
          if (answer.error.code !== "pair_not_found" || done === 0)
            toast(answer.error.message, hintOf(answer.error), "bad");
          break;
        }
        arena.ask();
      }
    } catch (error) {
      if (error.name !== "AbortError") toast(say("error.unreachable"), say("error.unreachable_hint"), "bad");
    } finally {
      this.#stopping = null;
      write(this.told, counted("judging.done", done));
      await arena.ask();
      this.later();
    }
  }
}

customElements.define("o-arena-judging", ArenaJudging);
