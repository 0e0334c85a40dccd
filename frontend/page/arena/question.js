// One question: the answers side by side, whose they are only when asked for, and what judges made of them.

import { AnswerCard } from "./answer.js";
import { arena } from "./store.js";
import { say } from "../data/facts.js";
import { iconButton } from "../parts/icons.js";
import { arrange, make, mark, show, write } from "../parts/nodes.js";
import { ask, askJson } from "../parts/server.js";

export class QuestionCard {
  #revealed = false;
  #busy = "";
  #drawn = new Map(); // by the answer's id

  /** `changed` is called when the server has more to say. */
  constructor(changed) {
    this.changed = changed;
    const button = (name, act) =>
      make("button", { type: "button", class: "o-btn", "data-do": name, on: { click: act } }, say(`answers.${name}`));
    this.title = make("h3", {});
    this.given = make("div", { class: "o-arena-given" });
    this.reference = make("p", { class: "o-hint" });
    this.list = make("div", { class: "o-arena-answers" });
    this.reveal = make(
      "button",
      {
        type: "button",
        class: "o-btn",
        "data-do": "reveal",
        "aria-pressed": "false",
        on: { click: () => this.#reveal() },
      },
      say("answers.reveal"),
    );
    this.again = button("ask", () => this.ask());
    this.judge = make("select", { class: "o-select", "aria-label": say("judging.judge") });
    this.grade = button("grade", () => this.#grade());
    this.told = make("span", { class: "o-hint", role: "status" });
    const remove = iconButton("trash", say("answers.remove"), () => this.#remove(), { quiet: true });
    this.node = make(
      "article",
      { class: "o-card-plain o-arena-section o-question" },
      make("div", { class: "o-between" }, this.title, remove),
      this.given,
      this.reference,
      this.list,
      make("div", { class: "o-arena-line" }, this.reveal, this.again, this.judge, this.grade, this.told),
    );
  }

  paint(question) {
    this.question = question;
    const { id, text, media, reference, answers } = question;
    mark(this.node, "data-question", id);
    write(this.title, text);
    show(this.given, Boolean(media));
    if (media && !this.given.firstChild)
      this.given.append(make("img", { src: `/v1/media/${media}/thumbnail`, alt: say("answers.about") }));
    write(this.reference, reference ? say("answers.person", { reference }) : "");
    show(this.reference, Boolean(reference));
    // In the order of their ids, which chance has made: not in the one in which the reasoners were named.
    const shuffled = answers.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const told = { named: this.#revealed, waits: say(this.#busy ? "answers.coming" : "answers.missing") };
    this.#drawn = new Map(shuffled.map(({ id: own }) => [own, this.#drawn.get(own) ?? new AnswerCard()]));
    shuffled.forEach((answer, index) => this.#drawn.get(answer.id).paint(answer, index, told));
    arrange(
      this.list,
      [...this.#drawn.values()].map(({ node }) => node),
    );
    const missing = answers.some((answer) => answer.text === null);
    show(this.again, missing && !this.#busy);
    const able = arena.reasoners.filter(({ ready }) => ready);
    if (this.judge.childElementCount !== able.length)
      this.judge.replaceChildren(...able.map(({ name, title }) => make("option", { value: name }, title)));
    const gradable = Boolean(reference) && answers.some((answer) => answer.text !== null);
    show(this.judge, gradable);
    show(this.grade, gradable);
    this.grade.disabled = Boolean(this.#busy);
    write(this.told, this.#busy ? say(`answers.${this.#busy}`) : "");
    mark(this.node, "data-state", this.#busy || (missing ? "open" : "answered"));
  }

  /** Have the missing answers asked for. */
  async ask() {
    await this.#during("asking", () => ask("POST", `/v1/arena/questions/${this.question.id}/answers`));
  }

  async #grade() {
    await this.#during("grading", () =>
      askJson("POST", `/v1/arena/questions/${this.question.id}/grades`, { judge: this.judge.value }),
    );
  }

  async #remove() {
    if (await ask("DELETE", `/v1/arena/questions/${this.question.id}`)) this.changed();
  }

  async #during(name, act) {
    this.#busy = name;
    this.paint(this.question);
    const done = await act();
    this.#busy = "";
    this.paint(done ?? this.question);
    this.changed();
  }

  #reveal() {
    this.#revealed = !this.#revealed;
    mark(this.reveal, "aria-pressed", String(this.#revealed));
    this.paint(this.question);
  }
}
