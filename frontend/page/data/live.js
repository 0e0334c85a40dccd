// The page's one websocket: a snapshot, then numbered deltas, and binary preview frames by topic.

import { Socket } from "./socket.js";
import { Store } from "./store.js";

const LONGEST_WAIT_MS = 8000;

// A socket that was refused does not say why. When the server no longer knows this browser, its page asks for the
// token.
async function enterAgain() {
  const reply = await fetch("/v1/jobs?limit=1").catch(() => null);
  if (reply?.status === 401) location.assign("/login");
}

class Live extends Store {
  state = { jobs: {}, system: {} };
  partial = {}; // what was told of jobs that no message has told whole: those far down a long queue
  status = "connecting"; // then "open", "lost", "open", …
  seq = -1;
  #resyncing = false;
  #socket = new Socket(
    {
      opened: () => {
        this.#resyncing = false;
      },
      closed: () => {
        this.#become("lost");
        enterAgain();
      },
      read: (message) => this.#read(message),
      show: (picture) => this.dispatchEvent(new CustomEvent("frame", { detail: picture })),
    },
    LONGEST_WAIT_MS,
  );

  start() {
    if (!this.#socket.isThere) this.#socket.connect("/v1/events");
  }

  /** Ask for a topic's frames until the returned function is called. */
  want(topic) {
    return this.#socket.want(topic);
  }

  #read(message) {
    if (message.type === "snapshot") {
      this.state = message.state;
      this.partial = {};
      this.seq = message.seq;
      this.#resyncing = false;
      this.#become("open");
    } else if (message.seq === this.seq + 1) {
      this.seq = message.seq;
      this.#apply(message);
    } else if (message.seq > this.seq && !this.#resyncing) {
      this.#resyncing = true;
      this.#socket.send({ resync: true });
    } else {
      return;
    }
    this.changed();
  }

  #apply({ key, id, value }) {
    if (id == null) Object.assign(this.state[key], value);
    else if (value === null) delete this.state[key][id];
    else if (key === "jobs" && !this.state.jobs[id] && !value.request)
      this.partial[id] = { ...this.partial[id], ...value };
    else this.state[key][id] = { ...this.partial[id], ...this.state[key][id], ...value };
  }

  #become(status) {
    if (this.status === status) return;
    this.status = status;
    this.changed();
  }
}

export const live = new Live();

/**
 * Fetch once a revision of the server's is known, and again when it is another one.
 * `name` is its field of the system; changes within `togetherMs` are fetched at once.
 */
export function onRevision(name, togetherMs, fetchAnew) {
  let known;
  let waits = false;
  live.addEventListener("state", () => {
    const revision = live.state.system[name];
    if (revision === undefined || revision === known) return;
    const wait = known === undefined ? 0 : togetherMs;
    known = revision;
    if (waits) return;
    waits = true;
    setTimeout(() => {
      waits = false;
      fetchAnew();
    }, wait);
  });
}
