// A batch whose jobs have ended, or some of them: how many succeeded, all that they made, and its jobs behind a fold.

import { download } from "../parts/archive.js";
import { duration, say } from "../data/facts.js";
import { remaining } from "../data/gone.js";
import { icon, iconButton } from "../parts/icons.js";
import { kindOf, promptOf } from "../data/job_words.js";
import { secondsTaken } from "../data/jobs.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { EndedRow } from "./ended.js";
import { paintRows } from "./rows.js";
import { ask } from "../parts/server.js";

export class EndedBatch {
  #rows = new Map();

  constructor({ id }) {
    this.picture = make("img", { alt: "", loading: "lazy", hidden: true });
    this.name = make("b", { class: "o-row-name" });
    this.line = make("span", { class: "o-meta" });
    this.library = make(
      "a",
      { class: "o-link", href: `/library?batch=${encodeURIComponent(id)}` },
      say("queue.batch_library"),
    );
    this.retry = iconButton("again", say("queue.batch_retry"), () => this.#retry(), { "data-do": "retry" });
    this.zip = iconButton("download", say("queue.batch_zip"), () => download(this.made), {
      quiet: true,
      "data-do": "zip",
    });
    this.jobs = make("ul", { class: "o-rows", role: "list" });
    this.fold = make(
      "details",
      { on: { toggle: () => this.#paintJobs() } },
      make("summary", {}, say("queue.jobs")),
      this.jobs,
    );
    this.node = make(
      "li",
      { class: "o-row", "data-batch": id },
      make("span", { class: "o-row-picture" }, icon("copies", 20), this.picture),
      make("div", { class: "o-row-words" }, this.name, this.line, this.library, this.fold),
      make("span", { class: "o-row-acts" }, this.retry, this.zip),
    );
  }

  paint(entry) {
    this.entry = entry;
    const { batch, jobs } = entry;
    const [first] = jobs;
    const succeeded = jobs.filter((job) => job.state === "succeeded");
    const results = jobs.flatMap(remaining);
    const picture = results.find((result) => result.thumbnail_url)?.thumbnail_url;
    const seconds = succeeded.reduce((sum, job) => sum + secondsTaken(job), 0);
    this.made = results.map((result) => result.id);
    this.failed = jobs.filter((job) => job.state === "failed");
    write(this.name, promptOf(first));
    mark(this.name, "title", promptOf(first).slice(0, 400));
    const words = [
      say("queue.batch_ended", { kind: kindOf(first), done: succeeded.length, size: batch.size }),
      this.failed.length ? say("queue.batch_failed", { count: this.failed.length }) : "",
      succeeded.length ? say("progress.took", { time: duration(seconds) }) : "",
    ];
    write(this.line, words.filter(Boolean).join(" · "));
    show(this.picture, Boolean(picture));
    mark(this.picture, "src", picture);
    show(this.retry, this.failed.length > 0);
    for (const node of [this.library, this.zip]) show(node, results.length > 0);
    this.#paintJobs();
  }

  // A batch may have a thousand jobs: nothing is drawn of them before somebody looks.
  #paintJobs() {
    if (this.fold.open) paintRows(this.jobs, this.#rows, this.entry.jobs, (job) => new EndedRow(job));
  }

  async #retry() {
    this.retry.disabled = true;
    for (const job of this.failed) await ask("POST", `/v1/jobs/${job.id}/retry`);
    this.retry.disabled = false;
  }

  remove() {
    this.node.remove();
  }
}
