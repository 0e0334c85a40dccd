// The votes that were cast, newest first; each can be taken back, all can be taken along.

import { arena } from "./store.js";
import { fieldName } from "./names.js";
import { say } from "../data/facts.js";
import { icon, iconButton } from "../parts/icons.js";
import { arrange, make, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { ask } from "../parts/server.js";

class ArenaRecord extends Part {
  #drawn = new Map(); // by the vote's id: a vote never changes, and who is on its button stays there

  sources() {
    return [arena];
  }

  build() {
    this.heading = make("h2", {});
    this.list = make("ul", { class: "o-votes", role: "list" });
    const link = (form) =>
      make(
        "a",
        { class: "o-btn", href: `/v1/arena/votes/export?format=${form}`, download: `orrery-votes.${form}` },
        icon("download"),
        make("span", {}, form.toUpperCase()),
      );
    this.links = make("div", { class: "o-arena-acts" }, link("csv"), link("json"));
    this.section = make(
      "section",
      { class: "o-card-plain o-arena-section", hidden: true },
      make("div", { class: "o-between" }, this.heading, this.links),
      this.list,
    );
    this.append(this.section);
  }

  paint() {
    show(this.section, arena.total > 0);
    write(this.heading, say("record.title", { total: arena.total.toLocaleString() }));
    this.#drawn = new Map(arena.votes.map((vote) => [vote.id, this.#drawn.get(vote.id) ?? this.#draw(vote)]));
    arrange(this.list, [...this.#drawn.values()]);
  }

  #draw(vote) {
    const { id, contest, left, right, choices, voter, by, created_at: when, reason } = vote;
    const said = Object.entries(choices).map(([axis, choice]) =>
      say("record.choice", {
        axis: say(`axis.${axis}`),
        value: { left: left.value, right: right.value }[choice] ?? say(`choice.${choice}`),
      }),
    );
    return make(
      "li",
      { "data-vote": id, title: reason || null },
      make(
        "div",
        {},
        make("b", {}, say("record.sides", { left: left.value, right: right.value })),
        make(
          "small",
          {},
          say(by === "reasoner" ? "record.by_reasoner" : "record.by", {
            field: fieldName(contest),
            voter,
            when: new Date(when).toLocaleString(),
          }),
        ),
        make("span", {}, said.join(" · ")),
      ),
      iconButton("restore", say("arena.take_back"), () => this.#revoke(id), { quiet: true, "data-do": "revoke" }),
    );
  }

  async #revoke(id) {
    if (await ask("DELETE", `/v1/arena/votes/${id}`)) arena.ask();
  }
}

customElements.define("o-arena-record", ArenaRecord);
