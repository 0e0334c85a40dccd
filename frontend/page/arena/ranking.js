// The ranking: one table at a time, chosen by what was compared, whose votes count, the axis and the domain.

import "./judging.js";
import "./record.js";
import { arena } from "./store.js";
import { fieldName, percent } from "./names.js";
import { drawTable } from "./table.js";
import { counted, say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

const VOTERS = ["person", "reasoner", "everybody"];
const KINDS = ["", "image", "video", "answer"];

class ArenaRanking extends Part {
  sources() {
    return [arena];
  }

  opened() {
    arena.ask();
  }

  build() {
    this.contest = this.#select("contest", () => arena.choose({ contest: this.contest.value }));
    this.voters = this.#select("voters", () => arena.choose({ voters: this.voters.value }));
    this.kind = this.#select("kind", () => arena.choose({ kind: this.kind.value }));
    this.domain = this.#select("domain", () => this.#look({ domain: this.domain.value }));
    this.voters.append(...VOTERS.map((name) => make("option", { value: name }, say(`voters.${name}`))));
    this.kind.append(...KINDS.map((name) => make("option", { value: name }, say(`kinds.${name || "all"}`))));
    this.axes = make("div", { class: "o-chip-group", role: "group", "aria-label": say("ranking.axis") });
    this.count = make("span", { class: "o-count", role: "status" });
    this.table = make("div", {
      class: "o-arena-table",
      role: "region",
      tabindex: 0,
      "aria-label": say("ranking.title"),
    });
    this.none = make("p", { class: "o-hint" }, say("ranking.none"));
    this.agreement = make("section", { class: "o-card-plain o-arena-section" });
    this.append(
      make("div", { class: "o-arena-line" }, this.contest, this.voters, this.kind, this.domain, this.count),
      make(
        "section",
        { class: "o-card-plain o-arena-section" },
        make("h2", {}, say("ranking.title")),
        this.axes,
        this.none,
        this.table,
        make("p", { class: "o-hint" }, say("ranking.hint")),
      ),
      this.agreement,
      make("o-arena-judging"),
      make("o-arena-record"),
    );
    this.view = { axis: "overall", domain: "" };
  }

  paint() {
    const { standings } = arena;
    if (!standings) return;
    const { contests, tables, num_votes: votes, num_voters: voters } = standings;
    this.#options(
      this.contest,
      contests.map(({ name, num_votes: num }) => [name, `${fieldName(name)} · ${num}`]),
      standings.contest,
    );
    this.voters.value = standings.voters;
    show(this.contest, contests.length > 0);
    const domains = [...new Set(tables.map(({ domain }) => domain))];
    const domain = domains.includes(this.view.domain) ? this.view.domain : "";
    this.#options(
      this.domain,
      domains.map((name) => [name, say(`domain.${name || "all"}`)]),
      domain,
    );
    show(this.domain, domains.length > 1);
    const axes = [...new Set(tables.map(({ axis }) => axis))];
    const axis = axes.includes(this.view.axis) ? this.view.axis : axes.at(-1);
    this.#chips(axes, axis);
    write(this.count, votes ? [counted("ranking.votes", votes), counted("ranking.voters", voters)].join(" · ") : "");
    const table = tables.find((one) => one.axis === axis && one.domain === domain);
    show(this.none, !table);
    this.table.replaceChildren(...(table ? [drawTable(table, standings.min_votes)] : []));
    this.#paintAgreement(
      standings.agreement.filter((one) => one.axis === axis),
      axis,
    );
    mark(this, "data-votes", votes);
  }

  // Drawn anew only where there are others: who is on one stays there.
  #chips(axes, chosen) {
    if (this.axes.dataset.key !== axes.join()) {
      this.axes.dataset.key = axes.join();
      this.axes.replaceChildren(
        ...axes.map((name) =>
          make(
            "button",
            { type: "button", class: "o-chip", "data-axis": name, on: { click: () => this.#look({ axis: name }) } },
            say(`axis.${name}`),
          ),
        ),
      );
    }
    for (const chip of this.axes.children) mark(chip, "aria-pressed", String(chip.dataset.axis === chosen));
  }

  #paintAgreement(found, axis) {
    const rows = found.map(({ voter, num_pairs: pairs, share, low, high }) =>
      make(
        "li",
        { "data-voter": voter || "people" },
        make("span", {}, voter ? say("agree.with_people", { voter }) : say("agree.among_people")),
        make("b", { class: "o-num" }, percent(share)),
        make("small", { class: "o-num" }, counted("agree.interval", pairs, { low: percent(low), high: percent(high) })),
      ),
    );
    this.agreement.replaceChildren(
      make("h2", {}, say("agree.title", { axis: axis ? say(`axis.${axis}`) : "" })),
      rows.length ? make("ul", { class: "o-agreement" }, ...rows) : make("p", { class: "o-hint" }, say("agree.none")),
    );
  }

  #look(view) {
    this.view = { ...this.view, ...view };
    this.later();
  }

  #select(name, act) {
    return make("select", {
      class: "o-select",
      "data-field": name,
      "aria-label": say(`ranking.by_${name}`),
      on: { change: act },
    });
  }

  #options(select, options, chosen) {
    const key = JSON.stringify(options);
    if (select.dataset.key !== key) {
      select.dataset.key = key;
      select.replaceChildren(...options.map(([value, words]) => make("option", { value }, words)));
    }
    select.value = chosen;
  }
}

customElements.define("o-arena-ranking", ArenaRanking);
