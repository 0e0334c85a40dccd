// One comparison as the server has it, fetched anew whenever one of its jobs moves on.

import { isGone } from "../playhead/cells.js";
import { live } from "../data/live.js";
import { Store } from "../data/store.js";
import { ask, askJson } from "../parts/server.js";

const SOON_MS = 200;

class ComparisonStore extends Store {
  #timer = 0;
  #measured = false;
  #wanted = null; // the one to be opened, until it is there
  comparison = null;
  missing = false;

  /** Open one, and follow it. */
  start(id) {
    this.#open(id);
    live.addEventListener("state", () => this.#hear());
  }

  async #open(id) {
    this.#wanted = null;
    const reply = await fetch(`/v1/comparisons/${encodeURIComponent(id)}`).catch(() => null);
    if (!reply?.ok) {
      this.missing = reply?.status === 404;
      if (!this.missing) this.#wanted = id; // asked for again when the server is heard of
      this.changed();
      return;
    }
    this.#take(await reply.json());
  }

  async act(verb) {
    const answer = await askJson("POST", `/v1/comparisons/${this.comparison.id}/${verb}`, {});
    if (answer) this.#take(answer);
  }

  /** Whether it is gone now. */
  async forget() {
    return Boolean(await ask("DELETE", `/v1/comparisons/${this.comparison.id}`));
  }

  get ended() {
    return this.comparison.cells.every(({ job }) => !job || ["succeeded", "failed", "cancelled"].includes(job.state));
  }

  get lost() {
    return this.comparison.cells.some(
      (cell) => cell.job && (["failed", "cancelled"].includes(cell.job.state) || isGone(cell)),
    );
  }

  // Progress is drawn from what the socket says; what a job made has to be asked for.
  #hear() {
    if (this.#wanted) this.#open(this.#wanted);
    if (!this.comparison) return;
    const moved = this.comparison.cells.some(({ job }) => {
      const now = job && (live.state.jobs[job.id] ?? live.partial[job.id]);
      return now?.state && now.state !== job.state;
    });
    if (moved) this.#timer ||= setTimeout(() => this.#again(), SOON_MS);
    this.changed();
  }

  async #again() {
    const answer = await ask("GET", `/v1/comparisons/${this.comparison.id}`);
    this.#timer = 0;
    if (answer) this.#take(answer);
  }

  #take(comparison) {
    this.comparison = comparison;
    this.changed();
    if (this.ended && !this.#measured) this.#measure();
    if (!this.ended) this.#measured = false;
  }

  // Measuring takes a core: it waits until everything is made.
  async #measure() {
    this.#measured = true;
    const referred = this.comparison.columns.some(({ role }) => role === "reference");
    const followed = this.comparison.cells.some(({ job }) => job?.request.controls);
    if (!referred && !followed) return;
    const reply = await fetch(`/v1/comparisons/${this.comparison.id}/likeness`).catch(() => null);
    if (reply?.ok && this.ended) this.#take(await reply.json());
  }
}

export const store = new ComparisonStore();
