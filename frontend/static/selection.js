// Which job stands on the stage: the one a person picked, else whatever is going on.

import { lastEndedFirst, queued, running } from "./jobs.js";

class Selection extends EventTarget {
  #picked = null;
  #index = 0;

  /** The job on the stage, or undefined. */
  job(state) {
    return state.jobs[this.#picked] ?? running(state).at(-1) ?? queued(state)[0] ?? lastEndedFirst(state)[0];
  }

  /** Which of its pictures. */
  get index() {
    return this.#index;
  }

  pick(id) {
    this.#picked = id;
    this.#index = 0;
    this.dispatchEvent(new Event("state"));
  }

  pickPicture(index) {
    this.#index = index;
    this.dispatchEvent(new Event("state"));
  }

  /** Back to whatever is going on. */
  follow() {
    this.pick(null);
  }
}

export const selection = new Selection();
