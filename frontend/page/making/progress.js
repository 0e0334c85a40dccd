// The card of the job on the stage: how far it is, and what can be done with it.

import { duration, say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { fileName, meta, percent, secondsTaken, shownResults, timeLeft } from "../data/jobs.js";
import { live } from "../data/live.js";
import { make, mark, progressBar, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { useAgain } from "../parts/reuse.js";
import { selection } from "./selection.js";
import { sendTo } from "./send_to.js";
import { ask } from "../parts/server.js";
import { verdictChip } from "../parts/verdict.js";

/** Which buttons a job in a state has. */
const ACTIONS = {
  queued: ["cancel"],
  running: ["keep", "cancel"],
  succeeded: ["use", "download"],
  failed: ["use", "retry"],
  cancelled: ["use", "retry"],
};

class Progress extends Part {
  #asked = {}; // job id → "keep" or "cancel": clicked, not yet true

  sources() {
    return [live, selection, lost];
  }

  build() {
    this.phase = make("b", { role: "status" });
    this.verdict = verdictChip();
    this.numbers = make("span", { class: "o-num" });
    this.fill = make("i");
    this.bar = progressBar(this.fill, { "aria-label": say("progress.bar") });
    this.meta = make("span", { class: "o-meta" });
    this.buttons = {
      keep: this.#button("keep", {}, (job) => this.#ask("POST", job, "/stop", "keep")),
      cancel: this.#button(
        "cancel",
        { class: "o-btn o-bad", "data-hot": "cancel", "aria-keyshortcuts": "Escape" },
        (job) => this.#ask("DELETE", job, "", "cancel"),
      ),
      use: this.#button("use", {}, (job) => useAgain(job.request, job.checkpoint)),
      retry: this.#button("retry", {}, (job) => {
        selection.follow();
        ask("POST", `/v1/jobs/${job.id}/retry`);
      }),
      download: make("a", { class: "o-btn", "data-do": "download", download: true }, say("progress.download")),
    };
    this.send = sendTo(() => document.querySelector("o-stage video"));
    this.buttons.cancel.append(make("kbd", {}, "Esc"));
    this.append(
      make("div", { class: "o-between" }, this.phase, this.verdict.node, this.numbers),
      this.bar,
      make(
        "div",
        { class: "o-between" },
        this.meta,
        make("span", { class: "o-buttons" }, this.send.node, ...Object.values(this.buttons)),
      ),
    );
  }

  #button(name, attributes, act) {
    return make(
      "button",
      {
        type: "button",
        class: "o-btn",
        "data-do": name,
        ...attributes,
        on: { click: () => act(selection.job(live.state)) },
      },
      say(`progress.${name}`),
    );
  }

  async #ask(method, job, path, name) {
    if (this.#asked[job.id] === name) return; // a second press, before the first was painted
    this.#asked[job.id] = name;
    this.later();
    if (!(await ask(method, `/v1/jobs/${job.id}${path}`))) delete this.#asked[job.id];
    this.later();
  }

  paint(state) {
    const job = selection.job(state);
    if (job?.finished_at) delete this.#asked[job.id]; // it may be tried again
    const asked = this.#asked[job?.id];
    mark(this, "data-state", job?.state ?? "idle");
    mark(this, "data-job", job?.id ?? "");
    write(this.phase, job ? phaseOf(job, asked, state) : say("progress.idle"));
    this.verdict.paint(job);
    write(this.numbers, job ? numbersOf(job) : "");
    write(this.meta, job ? meta(job) : say("progress.idle_meta"));
    const done = job ? (job.state === "succeeded" ? 100 : percent(job)) : 0;
    mark(this.bar, "aria-valuenow", done);
    this.fill.style.width = `${done}%`;
    const results = shownResults(job);
    const result = results[Math.min(selection.index, results.length - 1)];
    for (const [name, button] of Object.entries(this.buttons)) {
      show(button, (ACTIONS[job?.state]?.includes(name) ?? false) && (name !== "download" || Boolean(result)));
      button.disabled = Boolean(asked);
    }
    this.send.show(result, job);
    mark(this.buttons.download, "href", result?.url);
    mark(this.buttons.download, "download", result ? fileName(result) : null);
  }
}

function phaseOf(job, asked, state) {
  if (job.state === "queued") {
    const checkpoint = state.system.checkpoint;
    if (job.waiting_for) return say("progress.held", { title: job.waiting_for });
    if (checkpoint?.state !== "ready") return say("progress.held", { title: checkpoint?.title });
    return say("progress.waiting");
  }
  if (job.state === "running") {
    if (asked) return say(asked === "keep" ? "progress.stopping" : "progress.cancelling");
    if (job.waiting_for) return say("progress.held", { title: job.waiting_for });
    return say(`progress.${job.progress.phase}`);
  }
  return say(job.state === "succeeded" && job.stopped_at_step != null ? "progress.stopped" : `progress.${job.state}`);
}

function numbersOf(job) {
  const { step, steps } = job.progress;
  const left = job.state === "running" ? timeLeft(job) : "";
  const took =
    job.state === "succeeded" && job.finished_at ? say("progress.took", { time: duration(secondsTaken(job)) }) : "";
  return [job.state === "queued" ? "" : say("progress.step", { step, steps }), left, took].filter(Boolean).join(" · ");
}

customElements.define("o-progress", Progress);
