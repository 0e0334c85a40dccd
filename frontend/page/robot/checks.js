// What the self-test found; what it cannot see itself, a person confirms.

import { say } from "../data/facts.js";
import { make } from "../parts/nodes.js";
import { robot } from "./link.js";

export class CheckList {
  constructor() {
    this.node = make("div", { class: "o-checks", "aria-live": "polite" });
  }

  paint() {
    const checks = [...robot.now.checks.values()];
    const key = JSON.stringify([checks, robot.mine]);
    if (this.node.dataset.key === key) return;
    this.node.dataset.key = key;
    const none = make("p", { class: "o-none" }, say("panel.checks_empty"));
    this.node.replaceChildren(checks.length ? make("ul", {}, ...checks.map(line)) : none);
  }
}

function line({ name, outcome, words }) {
  const item = make(
    "li",
    { "data-outcome": outcome },
    make("b", {}, name),
    make("em", {}, say(`outcome.${outcome}`)),
    make("span", {}, words),
  );
  if (outcome !== "ask") return item;
  const confirm = () => robot.tell("confirm", { check: name });
  item.append(
    make(
      "button",
      { type: "button", class: "o-btn", disabled: !robot.mine, on: { click: confirm } },
      say("check.confirm"),
    ),
  );
  return item;
}
