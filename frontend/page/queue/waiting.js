// An entry of the waiting list: one job, or a batch with its progress and its jobs behind a fold.

import { say } from "../data/facts.js";
import { icon, iconButton } from "../parts/icons.js";
import { kindOf, lineOf, promptOf } from "../data/job_words.js";
import { ended } from "../data/jobs.js";
import { make, mark, progressBar, show, write } from "../parts/nodes.js";
import { queue } from "./store.js";
import { ask, askJson } from "../parts/server.js";

const PRIORITIES = ["low", "normal", "high"];
const MAX_SEED = 2 ** 32;

/** The same request with another seed. */
export const again = (job) =>
  askJson("POST", `/v1/jobs/${job.id}/duplicate`, {
    changes: { sampling: { seed: Math.floor(Math.random() * MAX_SEED) } },
  });

export class WaitingRow {
  constructor(entry) {
    this.id = entry.id;
    this.grip = make("button", { type: "button", class: "o-grip", "aria-describedby": "queue-how" }, icon("grip"));
    this.place = make("span", { class: "o-num o-place" });
    this.name = make("b", { class: "o-row-name" });
    this.line = make("span", { class: "o-meta" });
    this.fill = make("i");
    this.bar = progressBar(this.fill, { "aria-label": say("progress.bar"), hidden: true });
    this.priority = make(
      "select",
      { class: "o-select", on: { change: () => queue.prioritise(this.entry.waiting, this.priority.value) } },
      ...PRIORITIES.map((value) => make("option", { value }, say(`priority.${value}`))),
    );
    this.again = iconButton("copies", say("queue.again"), () => again(this.entry.waiting[0]), {
      quiet: true,
      "data-do": "again",
    });
    this.cancel = iconButton("close", say("progress.cancel"), () => this.#cancel(), {
      quiet: true,
      class: "o-btn o-quiet o-bad",
      "data-do": "cancel",
    });
    this.jobs = make("ol", {});
    this.fold = make("details", { hidden: true }, make("summary", {}, say("queue.jobs")), this.jobs);
    this.node = make(
      "li",
      { class: "o-row", "data-entry": entry.id },
      this.grip,
      this.place,
      make("div", { class: "o-row-words" }, this.name, this.line, this.bar, this.fold),
      make("span", { class: "o-row-acts" }, this.priority, this.again, this.cancel),
    );
  }

  paint(entry, index, count) {
    this.entry = entry;
    const [first] = entry.waiting;
    const name = promptOf(first);
    const batch = entry.batch;
    write(this.place, String(index + 1));
    write(this.name, name);
    mark(this.name, "title", name.slice(0, 400));
    mark(this.grip, "aria-label", say("queue.move", { name: name.slice(0, 60), place: index + 1, count }));
    mark(this.priority, "aria-label", say("queue.priority", { name: name.slice(0, 60) }));
    this.priority.value = first.priority ?? "normal";
    mark(this.node, "data-priority", first.priority);
    show(this.again, !batch);
    show(this.bar, Boolean(batch));
    show(this.fold, Boolean(batch));
    if (batch) this.#paintBatch(entry);
    else
      write(
        this.line,
        [first.waiting_for ? say("queue.waits_for", { what: first.waiting_for }) : "", lineOf(first)]
          .filter(Boolean)
          .join(" · "),
      );
  }

  // Jobs of a long batch that ended long ago are not told any more: what neither waits nor runs has ended.
  #paintBatch({ batch, jobs, waiting }) {
    const open = jobs.filter((job) => !ended(job)).length;
    const done = batch.size - Math.max(open, waiting.length);
    const share = Math.round((100 * done) / batch.size);
    write(this.line, say("queue.batch", { kind: kindOf(jobs[0]), done, size: batch.size, waiting: waiting.length }));
    mark(this.bar, "aria-valuenow", share);
    this.fill.style.width = `${share}%`;
    const key = jobs.map((job) => `${job.id} ${job.state}`).join();
    if (this.jobs.dataset.key === key) return;
    this.jobs.dataset.key = key;
    this.jobs.replaceChildren(
      ...jobs.map((job) =>
        make(
          "li",
          { "data-state": job.state },
          make("span", { class: "o-num" }, `${job.batch.index + 1}`),
          ` ${say(`state.${job.state}`)} · ${lineOf(job)}`,
        ),
      ),
    );
  }

  async #cancel() {
    this.cancel.disabled = true;
    await queue.moving;
    const path = this.entry.batch ? `/v1/batches/${this.entry.batch.id}` : `/v1/jobs/${this.id}`;
    if (!(await ask("DELETE", path))) this.cancel.disabled = false;
  }
}
