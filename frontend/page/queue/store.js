// Every open job, also those that a long queue does not tell the page of by itself, and what can be done with them.

import { lost } from "../data/gone.js";
import { ended, lastEndedFirst, queued, running } from "../data/jobs.js";
import { live } from "../data/live.js";
import { ask, askJson } from "../parts/server.js";
import { Store } from "../data/store.js";

const MOST = 1000;
const ASKED_AGAIN_MS = 400; // a queue that moves is not asked after at every move

class QueueStore extends Store {
  moving = Promise.resolve(); // the moves that are under way; who ends a job waits for them
  #fetched = {}; // id → job, as it was when the rest of the queue was asked for
  #due = 0;
  #batches = new Map(); // id → its jobs, as they were when asked for, of those that the socket has told in part
  #told = null; // the snapshot that they go with

  start() {
    lost.addEventListener("state", () => this.changed());
    live.addEventListener("state", () => {
      this.#fill();
      this.changed();
    });
  }

  /** All jobs that are known, by id: what was fetched, under what was told since. */
  get state() {
    const rest = Object.entries(this.#fetched).map(([id, job]) => [id, { ...job, ...live.partial[id] }]);
    return { jobs: { ...Object.fromEntries(rest), ...live.state.jobs }, system: live.state.system };
  }

  /** Whether the server has told anything yet. */
  get known() {
    return live.seq >= 0;
  }

  get status() {
    return live.state.system.queue ?? { paused: false, num_queued: 0, num_running: 0, seconds_left: null };
  }

  /** Entries of the waiting list, in order: `{ job }`, or `{ batch, jobs }` where its first waiting job stands. */
  entries() {
    const state = this.state;
    const waiting = queued(state);
    const seen = new Set();
    return waiting.flatMap((job) => {
      if (!job.batch) return [{ id: job.id, waiting: [job] }];
      if (seen.has(job.batch.id)) return [];
      seen.add(job.batch.id);
      const jobs = Object.values(state.jobs).filter((other) => other.batch?.id === job.batch.id);
      jobs.sort((a, b) => a.batch.index - b.batch.index);
      return [
        {
          id: job.batch.id,
          batch: job.batch,
          jobs,
          waiting: waiting.filter((other) => other.batch?.id === job.batch.id),
        },
      ];
    });
  }

  running() {
    return running(this.state).reverse();
  }

  /**
   * What ended last, the latest first: jobs, and `{ id, batch, jobs }` where the job of a batch that ended last stands.
   * A batch of which something still waits or runs stands with that.
   */
  ended(count) {
    const entries = new Map();
    const open = new Set(
      Object.values(this.state.jobs)
        .filter((job) => !ended(job))
        .map((job) => job.batch?.id),
    );
    for (const job of lastEndedFirst(live.state)) {
      const id = job.batch?.size > 1 ? job.batch.id : job.id;
      if (entries.size === count) break;
      if (open.has(id)) continue;
      if (!entries.has(id))
        entries.set(id, id === job.id ? job : { id, batch: job.batch, jobs: this.#endedOf(job.batch) });
    }
    return [...entries.values()];
  }

  #endedOf({ id, size }) {
    const told = Object.values(live.state.jobs).filter((job) => job.batch?.id === id);
    if (told.length < size) this.#askBatch(id);
    const asked = (this.#batches.get(id) ?? []).map((job) => ({ ...job, ...live.partial[job.id] }));
    const jobs = Object.values(Object.fromEntries([...asked, ...told].map((job) => [job.id, job])));
    return jobs.filter(ended).sort((a, b) => a.batch.index - b.batch.index);
  }

  async #askBatch(id) {
    if (this.#told !== live.partial) {
      this.#told = live.partial;
      this.#batches = new Map();
    }
    if (this.#batches.has(id)) return;
    const batches = this.#batches.set(id, []);
    const found = await ask("GET", `/v1/batches/${id}`);
    if (found) batches.set(id, found.jobs);
    this.changed();
  }

  /** Put jobs before another one, in their order; null puts them last. One move follows the other. */
  move(jobs, before) {
    this.moving = this.moving.then(async () => {
      for (const job of jobs) {
        if (!(await askJson("POST", `/v1/jobs/${job.id}/move`, { before }))) return;
      }
    });
  }

  prioritise(jobs, priority) {
    return Promise.all(jobs.map((job) => askJson("PATCH", `/v1/jobs/${job.id}`, { priority })));
  }

  pause(paused) {
    return ask("POST", `/v1/queue/${paused ? "pause" : "resume"}`);
  }

  // The socket tells of the first jobs of a queue; when there are more, the rest is asked for.
  #fill() {
    const known = queued(this.state).length;
    if (this.#due || this.status.num_queued <= known) return;
    this.#due = setTimeout(async () => {
      const found = await ask("GET", `/v1/jobs?state=queued&limit=${MOST}`);
      this.#due = 0;
      if (found) this.#fetched = Object.fromEntries(found.jobs.map((job) => [job.id, job]));
      this.changed();
    }, ASKED_AGAIN_MS);
  }
}

export const queue = new QueueStore();
