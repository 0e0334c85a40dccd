// Which job stands on the stage: the one a person picked, else what this page asked for, else whatever is going on, else
// what has ended since the page was opened, else the last one of the page's own kind.

import { kind, page } from "../data/facts.js";
import { ended, lastEndedFirst, queued, running } from "../data/jobs.js";
import { live } from "../data/live.js";
import { Store } from "../data/store.js";

const isOwn = (job) => job.kind === kind && (page !== "sound" || job.request.sound);

const hasEnded = (id) => live.state.jobs[id] && ended(live.state.jobs[id]);
const goingOn = (state) => running(state).at(-1) ?? queued(state)[0];

class Selection extends Store {
  #picked = null;
  #asked = []; // ids
  #opened = Infinity; // the number of the last end when the page was opened
  #index = 0;

  /** The job on the stage, or undefined. */
  job(state) {
    if (live.seq >= 0) this.#note(state);
    const asked = { jobs: Object.fromEntries(this.#asked.map((id) => [id, state.jobs[id]]).filter(([, job]) => job)) };
    const own = goingOn(asked) ?? lastEndedFirst(asked)[0];
    return state.jobs[this.#picked] ?? own ?? goingOn(state) ?? this.#ended(state);
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

  /** Back to what this page asks for: these jobs now, beside those that have not ended. */
  ask(ids) {
    this.#asked = [...this.#asked.filter((id) => !hasEnded(id)), ...ids];
    this.pick(null);
  }
}

export const selection = new Selection();
