// The conversation: its turns, the tasks, and the field for the next question.

import "./examples.js";
import "./sampling.js";
import "./tasks.js";
import { asking } from "./asking.js";
import { shownMarks } from "./shown.js";
import { talks } from "./store.js";
import { subject } from "./subject.js";
import { Turn } from "./turn.js";
import { checkpoint as known } from "../data/checkpoint.js";
import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { iconButton } from "../parts/icons.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { promptHistory } from "../parts/prompt_history.js";

const NEAR_END_PX = 80;

class Talk extends Part {
  #turns = new Map(); // turn → Turn

  sources() {
    return [talks, subject, asking, shownMarks, known, live];
  }

  build() {
    this.notice = make("p", { class: "o-ask-notice", role: "status", hidden: true });
    this.list = make("ol", {
      class: "o-turns",
      "aria-label": say("ask.conversation"),
      "aria-live": "polite",
      "aria-relevant": "additions",
    });
    this.empty = make(
      "div",
      { class: "o-empty" },
      make("b", {}, say("ask.empty")),
      make("p", {}, say("ask.empty_hint")),
      make("o-ask-examples"),
    );
    this.pane = make(
      "div",
      { class: "o-turns-scroll", tabindex: 0, role: "region", "aria-label": say("ask.conversation") },
      this.empty,
      this.list,
    );
    this.tasks = make("o-ask-tasks");
    this.sampling = make("o-ask-sampling");
    const how = { thinks: () => this.think.getAttribute("aria-pressed") === "true", sampling: this.sampling };
    this.tasks.how = how;
    this.empty.lastChild.how = how;
    const take = (words) => {
      this.field.value = words;
      this.field.focus();
      this.later();
    };
    this.history = promptHistory({ earlier: () => talks.questions, take, none: say("ask.no_history"), up: true });
    this.field = make("textarea", {
      class: "o-ask-field",
      rows: 2,
      "data-hot": "words",
      "aria-label": say("ask.question"),
      placeholder: say("ask.question_hint"),
      on: { input: () => this.later(), keydown: (event) => this.#key(event) },
    });
    this.think = make(
      "button",
      {
        type: "button",
        class: "o-btn",
        "aria-pressed": "false",
        title: say("ask.think_help"),
        on: { click: () => this.#toggleThinking() },
      },
      say("ask.think"),
    );
    this.send = iconButton("send", say("ask.send"), () => this.#send(), {
      class: "o-btn o-primary",
      "data-hot": "submit",
      "data-do": "send",
    });
    this.stop = iconButton("close", say("ask.stop"), () => asking.stop(), {
      class: "o-btn o-bad",
      "data-hot": "cancel",
      "data-do": "stop",
    });
    this.forget = iconButton("trash", say("ask.delete"), () => this.#delete(), { quiet: true, "data-do": "forget" });
    this.append(
      this.notice,
      this.pane,
      this.tasks,
      make(
        "div",
        { class: "o-composer" },
        this.field,
        make(
          "div",
          { class: "o-row-acts" },
          this.think,
          this.history,
          this.sampling,
          this.forget,
          make("span", { class: "o-grow" }),
          this.stop,
          this.send,
        ),
      ),
    );
  }

  paint({ system }) {
    const turns = talks.turns(subject.id);
    const { checkpoint } = system;
    const [tone, notice] = checkpoint ? noticeOf(checkpoint) : ["", ""];
    show(this.notice, Boolean(notice));
    mark(this.notice, "data-tone", tone);
    write(this.notice, notice);
    const atEnd = this.pane.scrollHeight - this.pane.scrollTop - this.pane.clientHeight < NEAR_END_PX;
    for (const [turn, drawn] of this.#turns) {
      if (turns.includes(turn)) continue;
      drawn.node.remove();
      this.#turns.delete(turn);
    }
    turns.forEach((turn, index) => {
      if (!this.#turns.has(turn)) this.#turns.set(turn, new Turn(turn));
      const drawn = this.#turns.get(turn);
      if (this.list.children[index] !== drawn.node)
        this.list.insertBefore(drawn.node, this.list.children[index] ?? null);
      drawn.paint();
    });
    if (atEnd) this.pane.scrollTop = this.pane.scrollHeight;
    mark(this, "data-busy", asking.busy ? "true" : null);
    show(this.empty, turns.length === 0);
    show(this.forget, turns.length > 0 && !asking.busy);
    show(this.stop, asking.busy);
    show(this.send, !asking.busy);
    this.send.disabled = !this.field.value.trim();
  }

  #key(event) {
    // Enter sends, with Shift it begins a line; the page's own keys take Enter with Ctrl.
    if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    this.#send();
  }

  #send() {
    const words = this.field.value.trim();
    if (!words || asking.busy) return;
    this.field.value = "";
    this.pane.scrollTop = this.pane.scrollHeight;
    const { thinks, sampling } = this.tasks.how;
    asking.words(words, thinks(), sampling.forWords());
    this.later();
  }

  #toggleThinking() {
    mark(this.think, "aria-pressed", String(!this.tasks.how.thinks()));
  }

  #delete() {
    talks.delete(subject.id);
    const more = talks.size
      ? { words: say("ask.delete_all", { count: talks.size }), act: () => talks.deleteAll() }
      : null;
    toast(say("ask.deleted"), "", "good", more);
  }
}

function noticeOf({ id, state, title, random_weights: random }) {
  if (state !== "ready") return ["warn", say("ask.not_ready", { title })];
  if (random) return ["warn", say("ask.random", { title })];
  return known.details?.id === id && known.details.simulated ? ["quiet", known.details.summary] : ["", ""];
}

customElements.define("o-ask-talk", Talk);
