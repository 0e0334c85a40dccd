// One answer of a question. It is made once and changed where it differs, so that what is open or has the focus stays
// so.

import { duration, say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";

export class AnswerCard {
  constructor() {
    this.name = make("span", {});
    this.time = make("small", { class: "o-num" });
    this.said = make("p", {});
    this.thought = make("p", {});
    this.thinking = make("details", { hidden: true }, make("summary", {}, say("answers.thought")), this.thought);
    this.grades = [];
    this.node = make("section", { class: "o-answer" }, make("h4", {}, this.name, this.time), this.said, this.thinking);
  }

  /** `named` is whether it says whose it is, `waits` what is said of one that is not there. */
  paint({ reasoner, text, thought, seconds, error, grades }, index, { named, waits }) {
    mark(this.node, "data-answer", index);
    mark(this.node, "data-tone", error ? "bad" : null);
    write(this.name, named ? reasoner : String.fromCharCode(65 + index));
    write(this.time, named && seconds !== null ? duration(seconds) : "");
    show(this.time, Boolean(this.time.textContent));
    write(this.said, text ?? (error ? error.message : waits));
    write(this.thought, thought);
    show(this.thinking, Boolean(thought));
    while (this.grades.length > grades.length) this.grades.pop().remove();
    grades.forEach(({ judge, score, reason }, at) => {
      if (!this.grades[at]) {
        this.grades[at] = make("p", { class: "o-grade" }, make("b", { class: "o-num" }), make("span", {}));
        this.node.append(this.grades[at]);
      }
      write(this.grades[at].firstChild, `${score} / 5`);
      write(this.grades[at].lastChild, ` ${judge}: ${reason}`);
    });
  }
}
