// A job that runs: what it sees so far, how far it is, and the two ways to end it.

import { say } from "../data/facts.js";
import { lineOf, promptOf } from "../data/job_words.js";
import { percent, timeLeft } from "../data/jobs.js";
import { live } from "../data/live.js";
import { make, mark, progressBar, show, write } from "../parts/nodes.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { ask } from "../parts/server.js";

export class RunningRow {
  constructor(job) {
    this.id = job.id;
    this.canvas = make("canvas", { role: "img", "aria-label": say("stage.preview"), width: 8, height: 6 });
    this.preview = new PictureCanvas(this.canvas);
    this.name = make("b", { class: "o-row-name" });
    this.numbers = make("span", { class: "o-num" });
    this.fill = make("i");
    this.bar = progressBar(this.fill, { "aria-label": say("progress.bar") });
    this.line = make("span", { class: "o-meta" });
    this.keep = this.#button("keep", "o-btn", () => ask("POST", `/v1/jobs/${this.id}/stop`));
    this.cancel = this.#button("cancel", "o-btn o-bad", () => ask("DELETE", `/v1/jobs/${this.id}`));
    this.node = make(
      "li",
      { class: "o-row o-row-running", "data-job": job.id },
      make("span", { class: "o-row-picture" }, this.canvas),
      make(
        "div",
        { class: "o-row-words" },
        make("div", { class: "o-between" }, this.name, this.numbers),
        this.bar,
        make("div", { class: "o-between" }, this.line, make("span", { class: "o-row-acts" }, this.keep, this.cancel)),
      ),
    );
    this.hear = ({ detail }) => detail.topic === `preview/${this.id}` && this.preview.show(detail.image);
    this.unwant = live.want(`preview/${this.id}`);
    live.addEventListener("frame", this.hear);
  }

  paint(job) {
    const name = promptOf(job);
    write(this.name, name);
    mark(this.name, "title", name.slice(0, 400));
    const { step, steps, phase } = job.progress;
    const doing = job.waiting_for ? say("queue.rests", { what: job.waiting_for }) : say(`progress.${phase}`);
    write(this.numbers, [doing, say("progress.step", { step, steps }), timeLeft(job)].filter(Boolean).join(" · "));
    mark(this.bar, "aria-valuenow", percent(job));
    this.fill.style.width = `${percent(job)}%`;
    write(
      this.line,
      [job.batch ? say("queue.of_batch", { index: job.batch.index + 1, size: job.batch.size }) : "", lineOf(job)]
        .filter(Boolean)
        .join(" · "),
    );
  }

  remove() {
    this.unwant();
    live.removeEventListener("frame", this.hear);
    this.node.remove();
  }

  #button(name, style, act) {
    const button = make("button", { type: "button", class: style, "data-do": name }, say(`progress.${name}`));
    button.addEventListener("click", async () => {
      button.disabled = true;
      if (!(await act())) button.disabled = false;
    });
    show(button, true);
    return button;
  }
}
