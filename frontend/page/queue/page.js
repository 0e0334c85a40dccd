// The queue of every page and every device: what runs, what waits in which order, what ended last.

import { toast } from "../parts/errors.js";
import { counted, duration, say } from "../data/facts.js";
import { iconButton } from "../parts/icons.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { notify } from "../frame/notify.js";
import { Part } from "../parts/part.js";
import { EndedBatch } from "./batch.js";
import { EndedRow } from "./ended.js";
import { WaitingList } from "./list.js";
import { paintRows } from "./rows.js";
import { RunningRow } from "./running.js";
import { queue } from "./store.js";
import { ask } from "../parts/server.js";
import { confirmed } from "../parts/sure.js";

const ENDED_SHOWN = 30;

class Queue extends Part {
  #running = new Map();
  #ended = new Map();

  sources() {
    return [queue, notify];
  }

  build() {
    this.lead = make("b", { role: "status" });
    this.hint = make("span", { class: "o-hint" });
    this.pause = iconButton("pause", say("queue.pause"), () => this.#pause(), { "data-do": "pause" });
    this.tell = iconButton("bell", say("notify.off"), () => notify.toggle(), { "data-do": "notify" });
    this.clear = iconButton("close", say("queue.clear"), () => this.#clear(), {
      class: "o-btn o-bad",
      "data-do": "clear",
    });
    this.running = make("ul", { class: "o-rows", role: "list", "aria-label": say("queue.running") });
    this.waiting = new WaitingList();
    this.ended = make("ul", { class: "o-rows", role: "list", "aria-label": say("queue.ended") });
    this.empty = make(
      "div",
      { class: "o-empty", hidden: true },
      make("b", {}, say("queue.empty")),
      make("p", {}, say("queue.empty_hint")),
    );
    this.runningSection = section("queue.running", this.running);
    this.waitingSection = section("queue.waiting", this.waiting.node);
    this.endedSection = section("queue.ended", this.ended);
    this.append(
      make(
        "div",
        { class: "o-queue-bar" },
        make("div", { class: "o-queue-lead" }, this.lead, this.hint),
        this.tell,
        this.clear,
        this.pause,
      ),
      this.runningSection,
      this.waitingSection,
      this.empty,
      this.endedSection,
    );
  }

  paint() {
    if (!queue.known) return;
    const [runs, waits, done] = [queue.running(), queue.entries(), queue.ended(ENDED_SHOWN)];
    this.#paintBar(runs.length);
    paintRows(this.running, this.#running, runs, (job) => new RunningRow(job));
    this.waiting.paint(waits);
    paintRows(this.ended, this.#ended, done, (entry) => (entry.jobs ? new EndedBatch(entry) : new EndedRow(entry)));
    show(this.runningSection, runs.length > 0);
    show(this.waitingSection, waits.length > 0);
    show(this.endedSection, done.length > 0);
    show(this.empty, runs.length + waits.length === 0);
  }

  #paintBar(runs) {
    const { paused, full, num_queued: waiting, seconds_left: left } = queue.status;
    mark(this, "data-paused", paused ? "true" : null);
    write(this.lead, say("header.queue", { running: runs, waiting }));
    const time = left ? say("queue.left", { time: duration(left) }) : "";
    write(this.hint, paused ? say("queue.paused_hint") : full ? say("queue.full_hint") : time);
    const name = paused ? "resume" : "pause";
    if (this.pause.dataset.name !== name) {
      this.pause.dataset.name = name;
      this.pause.replaceChildren(...iconButton(paused ? "play" : "pause", say(`queue.${name}`), () => {}).childNodes);
    }
    mark(this.pause, "aria-pressed", String(Boolean(paused)));
    show(this.clear, waiting > 0);
    show(this.tell, notify.state !== "none");
    mark(this.tell, "aria-pressed", String(notify.state === "on"));
    this.tell.disabled = notify.state === "denied";
    write(this.tell.lastChild, say(`notify.${notify.state}`));
  }

  async #clear() {
    const sure = counted("queue.sure", queue.status.num_queued);
    if (!(await confirmed(sure, say("queue.sure_yes"), say("sure.no")))) return;
    const waited = queue.status.num_queued;
    const left = await ask("DELETE", "/v1/queue");
    if (left) toast(counted("queue.cleared", Math.max(0, waited - left.num_queued)));
  }

  async #pause() {
    this.pause.disabled = true;
    await queue.pause(!queue.status.paused);
    this.pause.disabled = false;
  }
}

function section(key, list) {
  return make("section", { class: "o-queue-section" }, make("h2", {}, say(key)), list);
}

customElements.define("o-queue", Queue);
