// How the robot stands, in one word, colour and a sentence; below it what can be done about it.

import { say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { orderButton } from "./buttons.js";
import { robot } from "./link.js";
import { run } from "./run.js";

/** Orders that go from a state; while something else is being done, none does. */
const FROM = {
  idle: ["self_test", "home"],
  ready: ["self_test", "home"],
  running: ["hold"],
  watching: ["hold"],
  holding: ["hold"],
  stopped: ["resume", "recover"],
  fault: ["recover"],
};

class Standing extends Part {
  sources() {
    return [robot, run];
  }

  build() {
    this.word = make("b");
    this.rate = make("span", { class: "o-num" });
    this.why = make("p");
    this.card = make("div", { class: "o-standing", role: "status" }, make("div", {}, this.word, this.rate), this.why);
    this.buttons = {
      hold: orderButton("hold", { key: "H" }),
      resume: orderButton("resume", { key: "R" }),
      approve: orderButton("approve", { key: "A" }),
      reject: orderButton("reject", { key: "X" }),
      step: orderButton("step", { key: "N" }),
      self_test: orderButton("self_test"),
      home: orderButton("home"),
      recover: orderButton("recover"),
    };
    const row = (...names) => make("div", { class: "o-orders" }, ...names.map((name) => this.buttons[name]));
    this.approving = row("approve", "reject");
    this.stepping = row("step");
    this.append(this.card, row("hold", "resume"), this.approving, this.stepping, row("self_test", "home", "recover"));
  }

  paint() {
    const { standing, busy, now } = robot;
    mark(this.card, "data-standing", busy && !robot.engaged ? "busy" : standing);
    write(this.word, busy && !robot.engaged ? say(`doing.${busy}`) : say(`standing.${standing}`));
    write(this.why, sentence(standing, busy, now.session));
    write(this.rate, now.connected && now.summary ? say("robot.rate", { rate: now.summary.rate_hz.toFixed(2) }) : "");
    const mode = now.session?.run?.mode ?? run.mode;
    show(this.approving, mode === "approve");
    show(this.stepping, mode === "step");
    const may = robot.mine && !busy ? allowed(standing, now.session) : [];
    for (const [name, button] of Object.entries(this.buttons)) button.disabled = !may.includes(name);
  }
}

function allowed(standing, session) {
  const orders = [...(FROM[standing] ?? [])];
  if (standing === "stopped" && !session.run) orders.splice(0, 1);
  if (standing !== "holding") return orders;
  if (session.hold === "person") return ["resume"];
  if (session.hold === "approval") return ["hold", "approve", "reject"];
  return session.hold === "step" ? ["hold", "step"] : orders;
}

function sentence(standing, busy, session) {
  if (busy && !robot.engaged) return say(`busy.${busy}`);
  if (standing === "holding") return say(`why.${session.hold ?? "policy"}`);
  if (standing === "stopped" || standing === "fault") return session.words;
  if (standing === "running" && session.run?.mode === "replay") return say("why.replaying");
  return say(`why.${standing}`);
}

customElements.define("o-robot-standing", Standing);
