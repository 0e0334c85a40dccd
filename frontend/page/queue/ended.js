// A job that has ended: what it made, or why it did not, and what can be done about it.

import { duration, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { fixButtons } from "../parts/fixes.js";
import { allGone, remaining } from "../data/gone.js";
import { icon, iconButton } from "../parts/icons.js";
import { lineOf, promptOf } from "../data/job_words.js";
import { clock, secondsTaken } from "../data/jobs.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { again } from "./waiting.js";
import { useAgain } from "../parts/reuse.js";
import { ask } from "../parts/server.js";
import { verdictChip } from "../parts/verdict.js";

export class EndedRow {
  constructor(job) {
    this.id = job.id;
    this.picture = make("img", { alt: "", loading: "lazy", hidden: true });
    this.state = make("span", { class: "o-state" });
    this.name = make("a", { class: "o-row-name" });
    this.line = make("span", { class: "o-meta" });
    this.fixes = make("div", { class: "o-row-fixes" });
    this.verdict = verdictChip();
    this.retry = iconButton("again", say("progress.retry"), () => ask("POST", `/v1/jobs/${this.id}/retry`), {
      "data-do": "retry",
    });
    this.again = iconButton("copies", say("queue.again"), () => again(this.job), { quiet: true, "data-do": "again" });
    this.node = make(
      "li",
      { class: "o-row", "data-job": job.id },
      make("span", { class: "o-row-picture" }, icon("curve", 20), this.picture),
      make("div", { class: "o-row-words" }, this.name, this.line, this.fixes),
      make("span", { class: "o-row-acts" }, this.verdict.node, this.state, this.retry, this.again),
    );
  }

  paint(job) {
    this.job = job;
    const [result] = remaining(job);
    const name = promptOf(job);
    mark(this.node, "data-state", job.state);
    mark(this.node, "data-deleted", allGone(job) ? "" : null);
    write(this.state, say(allGone(job) ? "media.deleted" : `state.${job.state}`));
    write(this.name, name);
    mark(this.name, "title", name.slice(0, 400));
    mark(this.name, "href", result ? `/library?item=${encodeURIComponent(result.id)}` : null);
    show(this.picture, Boolean(result?.thumbnail_url));
    mark(this.picture, "src", result?.thumbnail_url);
    const took =
      job.state === "succeeded" && job.started_at ? say("progress.took", { time: duration(secondsTaken(job)) }) : "";
    const why = faultWords(job.error);
    write(this.line, why || [clock(job), took, lineOf(job)].filter(Boolean).join(" · "));
    show(this.retry, job.state !== "succeeded");
    this.verdict.paint(job);
    this.#paintFixes(job);
  }

  // A form opens with the request as it would work.
  #paintFixes({ state, finished_at: when, error, request, checkpoint }) {
    const key = state === "failed" ? String(when) : "";
    if (this.fixes.dataset.key === key) return;
    this.fixes.dataset.key = key;
    const take = (values) => useAgain({ ...request, ...values }, checkpoint);
    this.fixes.replaceChildren(...(key ? fixButtons(error, request, take) : []));
  }

  remove() {
    this.node.remove();
  }
}
