// The page's one websocket: a snapshot, then numbered deltas, and binary preview frames by topic.

import { Store } from "./store.js";

const FIRST_WAIT_MS = 250;
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
  #socket = null;
  #wait = FIRST_WAIT_MS;
  #topics = new Map(); // topic → how many parts want it
  #resyncing = false;

  start() {
    if (this.#socket) return;
    this.#open();
    addEventListener("pagehide", () => this.#socket.close());
    addEventListener("pageshow", (event) => event.persisted && this.#open());
    addEventListener("online", () => this.#socket.readyState > WebSocket.OPEN && this.#open());
    document.addEventListener("visibilitychange", () => this.#sendTopics());
  }

  /** Ask for a topic's frames until the returned function is called. */
  want(topic) {
    this.#topics.set(topic, (this.#topics.get(topic) ?? 0) + 1);
    this.#sendTopics();
    return () => {
      const left = this.#topics.get(topic) - 1;
      if (left) this.#topics.set(topic, left);
      else this.#topics.delete(topic);
      this.#sendTopics();
    };
  }

  #open() {
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/v1/events`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = FIRST_WAIT_MS;
      this.#resyncing = false;
      this.#sendTopics();
    };
    socket.onclose = () => {
      if (socket !== this.#socket) return;
      this.#become("lost");
      enterAgain();
      setTimeout(() => socket === this.#socket && this.#open(), this.#wait * (0.5 + Math.random()));
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      if (typeof data === "string") this.#read(JSON.parse(data));
      else this.#show(data);
    };
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
      this.#socket.send('{"resync":true}');
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

  // Two bytes of topic length, big-endian, the topic, a JPEG.
  #show(buffer) {
    const length = new DataView(buffer).getUint16(0);
    const topic = new TextDecoder().decode(new Uint8Array(buffer, 2, length));
    const image = new Blob([new Uint8Array(buffer, 2 + length)], { type: "image/jpeg" });
    this.dispatchEvent(new CustomEvent("frame", { detail: { topic, image } }));
  }

  #become(status) {
    if (this.status === status) return;
    this.status = status;
    this.changed();
  }

  // A page that nobody looks at asks for no pictures.
  #sendTopics() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ want: document.hidden ? [] : [...this.#topics.keys()] }));
  }
}

export const live = new Live();
