// Which job stands on the stage: the one a person picked, else whatever is going on, else what has ended since the page
// was opened, else the last one of the page's own kind.

import { kind, page } from "../data/facts.js";
import { lastEndedFirst, queued, running } from "../data/jobs.js";
import { live } from "../data/live.js";
import { Store } from "../data/store.js";

const isOwn = (job) => job.kind === kind && (page !== "sound" || job.request.sound);

class Selection extends Store {
  #picked = null;
  #opened = Infinity; // the number of the last end when the page was opened
  #index = 0;

  /** The job on the stage, or undefined. */
  job(state) {
    if (live.seq >= 0) this.#note(state);
    return state.jobs[this.#picked] ?? running(state).at(-1) ?? queued(state)[0] ?? this.#ended(state);
  }

  #ended(state) {
    const jobs = lastEndedFirst(state);
    return jobs[0]?.end_number > this.#opened ? jobs[0] : (jobs.find(isOwn) ?? jobs[0]);
  }

  // Also while something else is on the stage. Numbers begin anew where everything was deleted.
  #note(state) {
    const last = lastEndedFirst(state)[0]?.end_number ?? 0;
    this.#opened = Math.min(this.#opened, last);
  }

  /** Which of its pictures. */
  get index() {
    return this.#index;
  }

  pick(id) {
    this.#picked = id;
    this.#index = 0;
    this.changed();
  }

  pickPicture(index) {
    this.#index = index;
    this.changed();
  }

  /** Back to whatever is going on. */
  follow() {
    this.pick(null);
  }
}

export const selection = new Selection();
