// The tasks that the reasoner was trained for, as buttons; one that wants words asks for them first.

import { asking } from "./asking.js";
import { subject } from "./subject.js";
import { say } from "../data/facts.js";
import { make, mark, show } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { ask } from "../parts/server.js";

class Tasks extends Part {
  #tasks = [];
  #open = null; // the task whose words are asked for

  sources() {
    return [subject, asking];
  }

  build() {
    this.buttons = make("div", { class: "o-chip-group", role: "group", "aria-label": say("ask.tasks") });
    this.form = make("form", { class: "o-task-form", hidden: true, on: { submit: (event) => this.#submit(event) } });
    this.append(this.buttons, this.form);
    ask("GET", "/v1/tasks").then((answer) => {
      this.#tasks = answer?.tasks ?? [];
      this.later();
    });
  }

  how = null; // { thinks, sampling }: what the page says of answers

  paint() {
    const type = subject.item?.type;
    const fit = this.#tasks.filter((task) => task.media.includes(type));
    show(this, fit.length > 0);
    if (!fit.includes(this.#open)) this.#close();
    const key = fit.map(({ id }) => id).join();
    if (this.buttons.dataset.key !== key) {
      this.buttons.dataset.key = key;
      this.buttons.replaceChildren(
        ...fit.map((task) =>
          make(
            "button",
            {
              type: "button",
              class: "o-chip",
              title: task.summary,
              "data-task": task.id,
              on: { click: () => this.#choose(task) },
            },
            task.title,
          ),
        ),
      );
    }
    for (const button of this.buttons.children) {
      button.disabled = asking.busy;
      mark(button, "aria-expanded", this.#open && button.dataset.task === this.#open.id ? "true" : null);
    }
  }

  #choose(task) {
    if (!task.fields.length) return this.#ask(task, {});
    if (this.#open === task) return this.#close();
    this.#open = task;
    this.form.replaceChildren(
      ...task.fields.map((field) =>
        make(
          "label",
          {},
          field.title,
          make("input", {
            class: "o-select",
            name: field.name,
            placeholder: field.default || field.example,
            required: !field.default,
            maxlength: 4000,
            autocomplete: "off",
          }),
        ),
      ),
      make("button", { class: "o-btn o-primary" }, task.title),
    );
    show(this.form, true);
    this.form.querySelector("input").focus();
    this.later();
    return undefined;
  }

  #submit(event) {
    event.preventDefault();
    if (asking.busy) return;
    const words = Object.fromEntries([...new FormData(this.form)].filter(([, said]) => String(said).trim()));
    const task = this.#open;
    this.#close();
    this.#ask(task, words);
  }

  #ask(task, words) {
    asking.task(task, words, this.how.thinks(), this.how.sampling.forTask());
  }

  #close() {
    this.#open = null;
    show(this.form, false);
  }
}

customElements.define("o-ask-tasks", Tasks);
