// The same questions for several reasoners: put them, see the answers side by side, have them graded, or vote on them
// blind.

import { QuestionCard } from "./question.js";
import { arena } from "./store.js";
import { say } from "../data/facts.js";
import { iconButton } from "../parts/icons.js";
import { pickFromLibrary } from "../media/library_picker.js";
import { arrange, make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { ask, askJson } from "../parts/server.js";

class ArenaAnswers extends Part {
  #found = null; // as GET /v1/arena/questions answered
  #media = null;
  #cards = new Map();

  sources() {
    return [arena];
  }

  opened() {
    arena.askReasoners();
    this.#ask();
  }

  build() {
    const field = (tag, name, attributes = {}) =>
      make(tag, { id: `arena-${name}`, class: "o-arena-text", ...attributes });
    this.text = field("textarea", "question", { rows: 2, placeholder: say("answers.question_hint") });
    this.reference = field("textarea", "reference", { rows: 2, placeholder: say("answers.reference_hint") });
    this.media = make("div", { class: "o-arena-given" });
    this.pick = iconButton("search", say("answers.pick"), () => this.#pick(), { "data-do": "pick" });
    this.who = make("div", { class: "o-arena-who", role: "group", "aria-label": say("answers.who") });
    this.put = make("button", { type: "submit", class: "o-btn o-primary", "data-do": "put" }, say("answers.put"));
    const label = (name) => make("label", { for: `arena-${name}` }, make("b", {}, say(`answers.${name}`)));
    this.means = make("section", { class: "o-card-plain o-arena-section", hidden: true });
    this.list = make("div", { class: "o-questions" });
    this.none = make("p", { class: "o-hint" }, say("answers.none"));
    this.append(
      make(
        "form",
        { class: "o-card-plain o-arena-section o-arena-form", on: { submit: (event) => this.#submit(event) } },
        make("h2", {}, say("answers.title")),
        make("p", { class: "o-hint" }, say("answers.hint")),
        make(
          "div",
          { class: "o-arena-fields" },
          make("div", {}, label("question"), this.text),
          make("div", {}, label("reference"), this.reference),
        ),
        make(
          "div",
          { class: "o-arena-line" },
          this.pick,
          this.media,
          this.who,
          make("span", { class: "o-grow" }),
          this.put,
        ),
      ),
      this.means,
      this.none,
      this.list,
    );
  }

  paint() {
    const key = JSON.stringify(arena.reasoners);
    if (this.who.dataset.key !== key) {
      const chosen = new Set([...this.who.querySelectorAll("input:checked")].map(({ value }) => value));
      const first = (this.who.dataset.key ?? "[]") === "[]";
      this.who.dataset.key = key;
      this.who.replaceChildren(
        ...arena.reasoners.map(({ name, title, ready }) =>
          make(
            "label",
            { class: "o-chip" },
            make("input", { type: "checkbox", value: name, checked: first ? ready : chosen.has(name) }),
            ready ? title : say("judging.not_loaded", { title }),
          ),
        ),
      );
    }
    if (!this.#found) return;
    const { questions, grades } = this.#found;
    show(this.none, questions.length === 0);
    show(this.means, grades.length > 0);
    this.means.replaceChildren(
      make("h2", {}, say("answers.means")),
      make(
        "ul",
        { class: "o-agreement" },
        ...grades.map(({ reasoner, judge, mean, low, high, num_answers: num }) =>
          make(
            "li",
            {},
            make("span", {}, say("answers.graded", { reasoner, judge })),
            make("b", { class: "o-num" }, mean.toFixed(1)),
            make("small", { class: "o-num" }, say("answers.mean", { low: low.toFixed(1), high: high.toFixed(1), num })),
          ),
        ),
      ),
    );
    const kept = questions.map((question) => {
      if (!this.#cards.has(question.id)) this.#cards.set(question.id, new QuestionCard(() => this.#ask()));
      const card = this.#cards.get(question.id);
      card.paint(question);
      return card.node;
    });
    arrange(this.list, kept);
    mark(this, "data-count", questions.length);
  }

  async #ask() {
    const found = await ask("GET", "/v1/arena/questions");
    if (found) this.#found = found;
    this.later();
  }

  async #pick() {
    this.#media = this.#media ? null : await pickFromLibrary(["image", "video"]);
    this.media.replaceChildren(
      ...(this.#media
        ? [make("img", { src: this.#media.thumbnail_url, alt: this.#media.title || this.#media.prompt })]
        : []),
    );
    write(this.pick.lastChild, say(this.#media ? "answers.unpick" : "answers.pick"));
  }

  async #submit(event) {
    event.preventDefault();
    const reasoners = [...this.who.querySelectorAll("input:checked")].map(({ value }) => value);
    const question = {
      text: this.text.value,
      reference: this.reference.value,
      ...(this.#media ? { media: this.#media.id } : {}),
    };
    this.put.disabled = true;
    const put = await askJson("POST", "/v1/arena/questions", { questions: [question], reasoners });
    this.put.disabled = false;
    if (!put) return;
    this.text.value = this.reference.value = "";
    await this.#ask();
    this.paint();
    for (const { id } of put.questions) this.#cards.get(id)?.ask();
  }
}

customElements.define("o-arena-answers", ArenaAnswers);
