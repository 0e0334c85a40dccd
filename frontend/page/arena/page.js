// The arena: voting, what came of it, and the same questions for several reasoners. The address says which is open.

import "./answers.js";
import "./ranking.js";
import "./vote.js";
import { say } from "../data/facts.js";
import { make, mark, show } from "../parts/nodes.js";

const TABS = ["vote", "ranking", "answers"];

class Arena extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    this.tabs = TABS.map((name) =>
      make(
        "button",
        {
          type: "button",
          role: "tab",
          id: `arena-tab-${name}`,
          "aria-controls": `arena-${name}`,
          on: { click: () => this.open(name), keydown: (event) => this.#key(event) },
        },
        say(`arena.tab_${name}`),
      ),
    );
    this.panels = TABS.map((name) =>
      make(
        "div",
        { role: "tabpanel", id: `arena-${name}`, "aria-labelledby": `arena-tab-${name}`, hidden: true },
        make(`o-arena-${name}`),
      ),
    );
    this.append(
      make("div", { class: "o-arena-tabs", role: "tablist", "aria-label": say("arena.tabs") }, ...this.tabs),
      ...this.panels,
    );
    addEventListener("hashchange", () => this.#show());
    this.#show();
  }

  open(name) {
    history.replaceState(null, "", `${location.pathname}${location.search}#${name}`);
    this.#show();
  }

  #show() {
    const open = TABS.includes(location.hash.slice(1)) ? location.hash.slice(1) : TABS[0];
    TABS.forEach((name, index) => {
      mark(this.tabs[index], "aria-selected", String(name === open));
      mark(this.tabs[index], "tabindex", name === open ? 0 : -1);
      show(this.panels[index], name === open);
      if (name === open) this.panels[index].firstChild.opened();
    });
  }

  #key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const to = (this.tabs.indexOf(event.target) + by + TABS.length) % TABS.length;
    this.open(TABS[to]);
    this.tabs[to].focus();
  }
}

customElements.define("o-arena", Arena);
