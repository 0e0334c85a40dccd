// Whose marks are drawn: those of the last answer that has any, until a person picks another one.

import { subject } from "./subject.js";
import { talks } from "./store.js";
import { marksOf } from "../media/marks.js";

const PATH = "trajectory"; // the task whose points are one movement

class ShownMarks extends EventTarget {
  #picked = null; // a turn; false for none

  constructor() {
    super();
    talks.addEventListener("state", () => this.dispatchEvent(new Event("state")));
    subject.addEventListener("state", () => this.pick(null));
  }

  pick(turn) {
    this.#picked = turn;
    this.dispatchEvent(new Event("state"));
  }

  get turn() {
    if (this.#picked === false) return null;
    const turns = talks.turns(subject.id);
    if (turns.includes(this.#picked)) return this.#picked;
    return turns.findLast((turn) => turn.role === "assistant" && !turn.open && marksOf(turn).length > 0) ?? null;
  }

  get marks() {
    return this.turn ? marksOf(this.turn) : [];
  }

  get path() {
    const turns = talks.turns(subject.id);
    return turns[turns.indexOf(this.turn) - 1]?.task === PATH;
  }
}

export const shownMarks = new ShownMarks();
