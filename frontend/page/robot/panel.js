// Log, self-test and recordings behind three tabs; a self-test brings its own to the front when it says something.

import { say } from "../data/facts.js";
import { make, mark, show } from "../parts/nodes.js";
import { EpisodeList } from "./episodes.js";
import { CheckList } from "./checks.js";
import { LineList } from "./log.js";
import { Part } from "../parts/part.js";
import { robot } from "./link.js";
import { run } from "./run.js";

const NAMES = ["log", "checks", "episodes"];
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

class Panel extends Part {
  #shown = "log";

  sources() {
    return [robot, run];
  }

  build() {
    this.lists = { log: new LineList(), checks: new CheckList(), episodes: new EpisodeList(() => this.later()) };
    this.tabs = NAMES.map((name) =>
      make(
        "button",
        { type: "button", role: "tab", id: `robot-tab-${name}`, "aria-controls": `robot-list-${name}` },
        say(`panel.${name}`),
      ),
    );
    this.tabs.forEach((tab, index) => tab.addEventListener("click", () => this.#pick(NAMES[index])));
    const list = make("div", { class: "o-tabs", role: "tablist", "aria-label": say("panel.label") }, ...this.tabs);
    list.addEventListener("keydown", (event) => this.#step(event));
    this.panes = NAMES.map((name) =>
      make(
        "div",
        { role: "tabpanel", id: `robot-list-${name}`, "aria-labelledby": `robot-tab-${name}`, tabindex: 0 },
        this.lists[name].node,
      ),
    );
    this.append(list, ...this.panes);
    robot.addEventListener("check", () => this.#pick("checks"));
    robot.addEventListener("hello", () => this.lists.episodes.forget());
  }

  #pick(name) {
    this.#shown = name;
    this.later();
  }

  #step(event) {
    const step = STEPS[event.key];
    if (!step) return;
    const next = (NAMES.indexOf(this.#shown) + step + NAMES.length) % NAMES.length;
    this.tabs[next].focus();
    this.#pick(NAMES[next]);
  }

  paint() {
    NAMES.forEach((name, index) => {
      const here = name === this.#shown;
      mark(this.tabs[index], "aria-selected", String(here));
      this.tabs[index].tabIndex = here ? 0 : -1;
      show(this.panes[index], here);
    });
    this.lists[this.#shown].paint();
  }
}

customElements.define("o-robot-panel", Panel);
