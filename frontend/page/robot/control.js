// Who is in control: several may watch, one orders. Where there is more than one robot, which one this page looks at.

import { say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { robot } from "./link.js";

class Control extends Part {
  sources() {
    return [robot];
  }

  build() {
    this.who = make("b", { role: "status" });
    this.watchers = make("small");
    this.button = make("button", {
      type: "button",
      class: "o-btn",
      "data-do": "control",
      on: { click: () => this.#swap() },
    });
    this.pick = make("select", {
      "aria-label": say("control.pick"),
      on: { change: () => robot.pick(this.pick.value) },
    });
    this.append(make("div", {}, this.who, this.watchers), this.pick, this.button);
  }

  #swap() {
    robot.control(robot.mine ? "release" : "take");
  }

  paint() {
    const { mine, held, watchers } = robot.now.control;
    const there = robot.status === "open" && robot.now.connected;
    const word = !there ? "none" : mine ? "mine" : held ? "held" : "free";
    mark(this, "data-control", word);
    write(this.who, say(`control.${word}`));
    write(this.watchers, there ? say("control.watchers", { count: watchers }) : "");
    write(this.button, say(mine ? "control.release" : "control.take"));
    this.button.disabled = !there || (held && !mine);
    this.#paintPick();
  }

  #paintPick() {
    const names = robot.robots.map(({ name }) => name);
    show(this.pick, names.length > 1);
    if (String([...this.pick.options].map(({ value }) => value)) !== String(names)) {
      this.pick.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    }
    if (names.includes(robot.name)) this.pick.value = robot.name;
  }
}

customElements.define("o-robot-control", Control);
