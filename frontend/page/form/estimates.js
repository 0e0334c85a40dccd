// What the form's request would take on this machine, asked of the server a moment after the last change.

import { checkpoint } from "../data/checkpoint.js";
import { form } from "./values.js";
import { takes } from "../data/kinds.js";
import { live } from "../data/live.js";

const SETTLE_MS = 300;

/** Whether there is anything to ask: a form that is half filled in, or that the checkpoint refuses, takes no time. */
function canRun(request) {
  const { kind, controls = [], source_video: source, resolution } = request;
  const missing = Object.entries(takes(kind)).some(
    ([path, { required }]) => required && !request[path.split(".")[0]]?.length,
  );
  const bare = controls.some(({ hint, video }) => !video && !(source && (hint === "edge" || hint === "blur")));
  const beyond = checkpoint.limited.some((path) => {
    const [value, span] = [form.get(path), checkpoint.span(path, resolution)];
    return value != null && span && (value < span.low || value > span.high);
  });
  return !(missing || bare || beyond) && checkpoint.takes(request);
}

class Estimates extends EventTarget {
  latest = null; // { seconds, basis, samples, queue_seconds }, or null where nothing can be said
  #timer = 0;
  #asked = "";
  #ended = 0;

  constructor() {
    super();
    form.addEventListener("state", () => this.#later());
    // A job that has ended says how long such a thing takes.
    live.addEventListener("state", () => {
      const ended = Object.values(live.state.jobs).filter((job) => job.finished_at).length;
      if (ended === this.#ended) return;
      this.#ended = ended;
      this.#asked = "";
      this.#later();
    });
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), SETTLE_MS);
  }

  async #ask() {
    if (!form.values) return;
    const {
      prompt,
      sampling: { seed, ...sampling },
      ...rest
    } = form.request();
    const request = { ...rest, sampling, prompt: "-" };
    const body = JSON.stringify({ request });
    if (body === this.#asked) return;
    this.#asked = body;
    if (!canRun(request)) {
      this.latest = null;
      this.dispatchEvent(new Event("state"));
      return;
    }
    const reply = await fetch("/v1/estimates", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    }).catch(() => null);
    if (body !== this.#asked) return;
    this.latest = reply?.ok ? await reply.json() : null;
    this.dispatchEvent(new Event("state"));
  }
}

export const estimates = new Estimates();
