// The instruction and how it is carried out; start, another instruction, finish.

import { say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { robot } from "./link.js";
import { run } from "./run.js";

const MODES = ["live", "rehearsal", "shadow", "approve", "step", "replay"];
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

class Task extends Part {
  sources() {
    return [robot, run];
  }

  build() {
    this.prompt = make("input", {
      type: "text",
      id: "robot-prompt",
      maxlength: 4096,
      autocomplete: "off",
      "aria-label": say("robot.prompt"),
      placeholder: say("robot.prompt_empty"),
      on: {
        input: () => run.set({ prompt: this.prompt.value }),
        keydown: (event) => event.key === "Enter" && robot.engaged && !event.ctrlKey && !event.metaKey && this.#send(),
      },
    });
    this.start = this.#button("start", "o-btn o-go-run", () => robot.tell("start", { run: run.toJson() }));
    this.send = this.#button("send", "o-btn", () => this.#send());
    this.finish = this.#button("finish", "o-btn", () => robot.tell("finish"));
    for (const button of [this.start, this.send]) mark(button, "data-hot", "submit");
    this.modes = MODES.map((mode) =>
      make("button", { type: "button", class: "o-chip", role: "radio", "data-mode": mode }, say(`mode.${mode}`)),
    );
    const title = make("b", { id: "robot-mode" }, say("robot.mode"));
    this.group = make("div", { class: "o-chip-group", role: "radiogroup", "aria-labelledby": title.id }, ...this.modes);
    this.group.addEventListener("click", ({ target }) => this.#choose(target.closest("[data-mode]")));
    this.group.addEventListener("keydown", (event) => this.#step(event));
    this.means = make("small");
    this.record = make("button", {
      type: "button",
      class: "o-btn o-record",
      "data-do": "record",
      on: { click: () => run.set({ record: !run.record }) },
    });
    this.record.append(make("i"), say("robot.record"));
    this.append(
      make(
        "div",
        { class: "o-say" },
        this.prompt,
        make("div", { class: "o-go-orders" }, this.start, this.send, this.finish),
      ),
      make("div", { class: "o-how" }, title, this.group, this.means, this.record),
    );
  }

  #button(name, style, act) {
    return make("button", { type: "button", class: style, "data-do": name, on: { click: act } }, say(`robot.${name}`));
  }

  #send() {
    robot.tell("instruct", { prompt: run.prompt });
  }

  #choose(button) {
    if (!button || button.getAttribute("aria-disabled")) return;
    button.focus();
    run.set({ mode: button.dataset.mode });
  }

  #step(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    this.#choose(this.modes[(this.modes.indexOf(event.target) + step + MODES.length) % MODES.length]);
  }

  // Who watches reads what the arm was told.
  #paintPrompt(watching) {
    this.prompt.readOnly = watching;
    const words = watching ? (robot.now.session.run?.prompt ?? "") : run.prompt;
    if (this.prompt.value !== words) this.prompt.value = words;
  }

  paint() {
    const { engaged, mine, busy, standing } = robot;
    const mode = (engaged && robot.now.session.run?.mode) || run.mode;
    for (const button of this.modes) {
      mark(button, "aria-checked", String(button.dataset.mode === mode));
      button.tabIndex = button.dataset.mode === mode ? 0 : -1;
      mark(button, "aria-disabled", engaged ? "true" : null);
    }
    this.#paintPrompt(engaged && !mine);
    write(this.means, meaning(mode));
    mark(this.record, "aria-pressed", String(run.record));
    this.record.disabled = engaged;
    show(this.start, !engaged);
    show(this.send, engaged);
    show(this.finish, engaged);
    this.start.disabled =
      !mine || Boolean(busy) || standing !== "ready" || (run.mode === "replay" && run.episode === null);
    this.send.disabled = !mine || mode === "replay" || run.prompt === robot.now.session?.run?.prompt;
    this.finish.disabled = !mine;
  }
}

function meaning(mode) {
  if (mode !== "replay") return say(`means.${mode}`);
  const episode = robot.now.session?.run?.episode ?? run.episode;
  return episode === null ? say("means.unpicked") : say("means.replay", { episode });
}

customElements.define("o-robot-task", Task);
