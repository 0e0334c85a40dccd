// One turn of a conversation: words with times that seek, thinking behind a fold, results as what they are.

import { say } from "../data/facts.js";
import { shownMarks } from "./shown.js";
import { subject } from "./subject.js";
import { marksOf } from "../media/marks.js";
import { moments } from "./moments.js";
import { make, mark, show, write } from "../parts/nodes.js";

export class Turn {
  #key = "";

  constructor(turn) {
    this.turn = turn;
    this.thought = make("p", {});
    this.fold = make("details", { class: "o-thought", hidden: true }, make("summary", {}), this.thought);
    this.text = make("p", { class: "o-turn-text" });
    this.results = make("ol", { class: "o-results", hidden: true });
    this.notes = make("p", { class: "o-hint", hidden: true });
    this.marks = make("button", {
      type: "button",
      class: "o-btn",
      hidden: true,
      on: { click: () => this.#toggleMarks() },
    });
    this.node = make(
      "li",
      { class: "o-turn", "data-role": turn.role },
      make("span", { class: "o-sr" }, say(`ask.${turn.role}`)),
      this.fold,
      this.text,
      this.results,
      this.marks,
      this.notes,
    );
    this.node.addEventListener("click", ({ target }) => {
      const seconds = target.closest("[data-seconds]")?.dataset.seconds;
      if (seconds !== undefined) document.dispatchEvent(new CustomEvent("o-seek", { detail: Number(seconds) }));
    });
  }

  paint() {
    const { turn } = this;
    const marks = turn.role === "assistant" && !turn.open && subject.item ? marksOf(turn) : [];
    const shown = shownMarks.turn === turn;
    show(this.marks, marks.length > 0);
    write(this.marks, say(shown ? "ask.hide_marks" : "ask.show_marks", { count: marks.length }));
    mark(this.marks, "aria-pressed", String(shown));
    const clip = subject.item?.type === "video" ? (subject.item.duration_s ?? 0) : 0;
    const key = JSON.stringify([turn, clip]);
    if (key === this.#key) return;
    this.#key = key;
    mark(this.node, "data-open", turn.open ? "true" : null);
    show(this.fold, Boolean(turn.thought));
    write(this.fold.firstChild, say(turn.open && !turn.text ? "ask.thinking" : "ask.thought"));
    write(this.thought, turn.thought ?? "");
    const results = turn.results ?? [];
    // The JSON of an answer that was read is shown as what it says.
    const words = results.length ? "" : turn.text || (turn.open && !turn.thought ? say("ask.waiting") : "");
    show(this.text, Boolean(words));
    this.text.replaceChildren(...pieces(words.trim(), turn.role === "assistant" ? clip : 0));
    show(this.results, results.length > 0);
    this.results.replaceChildren(
      ...results.map((result, index) => make("li", { "data-type": result.type }, ...drawn(result, index, clip))),
    );
    const notes = [...(turn.skipped ?? []), turn.failure, turn.stopped ? say("ask.stopped") : "", turn.error].filter(
      Boolean,
    );
    show(this.notes, notes.length > 0);
    mark(this.notes, "data-tone", turn.error || turn.failure ? "bad" : null);
    write(this.notes, notes.join(" "));
  }

  #toggleMarks() {
    shownMarks.pick(shownMarks.turn === this.turn ? false : this.turn);
  }
}

function pieces(text, clip) {
  if (!clip) return [text];
  return moments(text, clip).map(({ text: words, seconds }) =>
    seconds === undefined ? words : moment(words, seconds),
  );
}

const moment = (words, seconds) =>
  make("button", { type: "button", class: "o-moment", "data-seconds": seconds }, words);

/** A typed result, as nodes. */
function drawn(result, index, clip) {
  switch (result.type) {
    case "box":
    case "point":
      return [
        make("b", {}, result.label || String(index + 1)),
        ` ${(result.box_2d ?? result.point_2d).map(Math.round).join(", ")}`,
      ];
    case "interval": {
      const words = `${result.start_s.toFixed(1)}–${result.end_s.toFixed(1)} s`;
      return [clip ? moment(words, result.start_s) : words, ` ${result.label}`];
    }
    case "label":
      return [make("b", {}, [result.subject_id, result.category].filter(Boolean).join(" · ")), ` ${result.caption}`];
    case "step":
      return [result.text];
    case "verdict":
      return [make("b", {}, verdict(result)), ` ${result.reason}`];
    default:
      return pieces(result.text ?? "", clip);
  }
}

function verdict({ plausible, score }) {
  return [
    plausible == null ? "" : say(plausible ? "ask.plausible" : "ask.implausible"),
    score == null ? "" : say("ask.score", { score }),
  ]
    .filter(Boolean)
    .join(" · ");
}
