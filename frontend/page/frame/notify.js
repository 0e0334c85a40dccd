// A job that ends while nobody looks at the page is told by the browser, once a person has asked for that.

import { promptOf } from "../data/job_words.js";
import { say } from "../data/facts.js";
import { ended } from "../data/jobs.js";
import { live } from "../data/live.js";
import { Store } from "../data/store.js";

const KEY = "orrery.notify";
const WORDS_SHOWN = 120;

class Notify extends Store {
  #before = new Map(); // job id → state

  constructor() {
    super();
    live.addEventListener("state", () => this.#watch());
    addEventListener("storage", ({ key }) => key === KEY && this.changed());
  }

  /** `none` where the browser has no notifications (plain http from another machine), `denied`, `off` or `on`. */
  get state() {
    if (typeof Notification === "undefined" || !isSecureContext) return "none";
    if (Notification.permission === "denied") return "denied";
    return localStorage[KEY] === "on" && Notification.permission === "granted" ? "on" : "off";
  }

  /** What the button does: asks the browser the first time, then turns them on and off. */
  async toggle() {
    if (this.state === "on") localStorage.removeItem(KEY);
    else if ((await Notification.requestPermission()) === "granted") localStorage[KEY] = "on";
    this.changed();
  }

  #watch() {
    const jobs = Object.values(live.state.jobs);
    for (const job of jobs) {
      const before = this.#before.get(job.id);
      this.#before.set(job.id, job.state);
      const done = before && before !== job.state && ended(job) && job.state !== "cancelled";
      if (done && document.hidden && this.state === "on") this.#tell(job, jobs);
    }
  }

  // One of a batch says nothing until the last one has ended.
  #tell(job, jobs) {
    const batch = job.batch && jobs.filter((other) => other.batch?.id === job.batch.id);
    if (batch?.some((other) => !ended(other))) return;
    const title = batch ? say("notify.batch", { size: job.batch.size }) : say(`notify.${job.state}`);
    const [result] = job.results;
    const note = new Notification(title, {
      body: (job.error?.message ?? promptOf(job)).slice(0, WORDS_SHOWN),
      tag: batch ? job.batch.id : job.id,
    });
    note.onclick = () => {
      focus();
      location.assign(result ? `/library?item=${encodeURIComponent(result.id)}` : "/queue");
    };
  }
}

export const notify = new Notify();
