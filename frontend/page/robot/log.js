// What a person should read, newest first.

import { say } from "../data/facts.js";
import { make } from "../parts/nodes.js";
import { robot } from "./link.js";

const clock = (at) => at.toLocaleTimeString([], { hour12: false });

export class LineList {
  #painted = null;

  constructor() {
    this.node = make("div", { role: "log", class: "o-lines", "aria-label": say("panel.log") });
  }

  paint() {
    if (this.#painted === robot.lines) return;
    this.#painted = robot.lines;
    const lines = robot.lines.map(({ at, code, words }) =>
      make("li", { "data-code": code }, make("time", {}, clock(at)), words),
    );
    const none = make("p", { class: "o-none" }, say("panel.log_empty"));
    this.node.replaceChildren(lines.length ? make("ul", {}, ...lines) : none);
  }
}
