// The page's line to one robot: which are there, what the chosen one says, and orders with their answers.
// It changes when anything but a tick came, `ticks` fifteen times a second; what a message says is dispatched under its
// type, a picture as "frame".

import { say } from "../data/facts.js";
import { Socket } from "../data/socket.js";
import { Store } from "../data/store.js";
import { toast } from "../parts/errors.js";

const LONGEST_WAIT_MS = 4000;
const LOOK_MS = 2000;
const MAX_LINES = 60;
const UNKNOWN_ROBOT = 4404; // the server's close code
const MOVING = ["self_test", "home", "recover"];
const FIRST_CHECK = "arm"; // a self-test begins with it

const silent = () => ({
  connected: false,
  hello: null,
  session: null,
  summary: null,
  control: { mine: false, held: false, watchers: 0 },
  checks: new Map(),
  tick: null,
  coming: null,
  chunk: null,
});

const unsent = () => ({ error: { message: say("robot.unsent"), hint: say("robot.unsent_hint") }, value: null });

class RobotLink extends Store {
  robots = [];
  name = new URLSearchParams(location.search).get("name");
  problem = ""; // why the server's own robot is not there
  status = "looking"; // then "none", "open" or "lost"
  now = silent();
  ticks = new Store();
  lines = []; // { at: Date, code, words }, newest first
  #orders = new Map(); // id → what takes its answer
  #lastId = 0;
  #recordingWords = "";
  #letsGo = false; // this page gives control back itself
  #socket = new Socket(
    {
      opened: () => this.#become("open"),
      closed: (code) => {
        this.#leave();
        this.#become(code === UNKNOWN_ROBOT ? "none" : "lost");
        return code !== UNKNOWN_ROBOT;
      },
      read: (message) => this.#read(message),
      show: (picture) => this.dispatchEvent(new CustomEvent("frame", { detail: picture })),
    },
    LONGEST_WAIT_MS,
  );

  start() {
    this.#look();
    document.addEventListener("visibilitychange", () => this.changed());
  }

  /** Whether it can be heard. */
  get there() {
    return this.status === "open" && this.now.connected;
  }

  /** One word for how things stand: a session's state, or why there is none. */
  get standing() {
    if (this.status !== "open") return this.status;
    if (!this.now.connected || !this.now.session) return "gone";
    const { state, run } = this.now.session;
    return state === "running" && run?.mode === "shadow" ? "watching" : state;
  }

  /** Whether a run is on. */
  get engaged() {
    return this.standing === "watching" || this.standing === "running" || this.standing === "holding";
  }

  /** What is done outside a run: self_test, home, recover, resume; empty for nothing. */
  get busy() {
    return this.there ? (this.now.summary?.busy ?? "") : "";
  }

  get mine() {
    return this.there && this.now.control.mine;
  }

  /** Send an order: the promise of { error, value }. Never waits for anything before it goes out. */
  order(command, fields = {}) {
    return this.#ask({ command, ...fields });
  }

  /** An order whose refusal becomes a toast; its value, or null. */
  async tell(command, fields) {
    // What it is busy with is told once a second; the stop's keys must know at once.
    if (MOVING.includes(command) && this.mine && this.now.summary) this.#doing(command);
    const { error, value } = await this.#ask({ command, ...fields });
    if (error) {
      if (MOVING.includes(command) && this.now.summary) this.#doing("");
      toast(error.message, error.hint, "bad");
    }
    return error ? null : value;
  }

  /** The only order that anybody may give: it goes out at once, or the page says that it did not. */
  stop() {
    if (this.#socket.isOpen) this.tell("stop");
    else toast(say("robot.stop_unsent"), say("robot.stop_unsent_hint"), "bad");
  }

  /** "take" or "release". */
  async control(what) {
    this.#letsGo = what === "release";
    const { error } = await this.#ask({ control: what });
    this.#letsGo = false;
    if (error) toast(error.message, error.hint, "bad");
  }

  /** Ask for a topic's pictures until the returned function is called. */
  want(topic) {
    return this.#socket.want(topic);
  }

  /** Look at another robot. */
  pick(name) {
    if (name === this.name && this.#socket.isThere) return;
    this.name = name;
    this.lines = [];
    this.#open();
  }

  #ask(message) {
    if (!this.#socket.isOpen) return Promise.resolve(unsent());
    const id = ++this.#lastId;
    this.#socket.send({ id, ...message });
    return new Promise((resolve) => this.#orders.set(id, resolve));
  }

  // A new robot is found within two seconds; a page that nobody looks at does not ask.
  async #look() {
    if (!document.hidden) {
      const reply = await fetch("/v1/robots").catch(() => null);
      if (reply?.ok) this.#choose(await reply.json());
    }
    setTimeout(() => this.#look(), LOOK_MS);
  }

  #choose({ robots, problem = "" }) {
    const same =
      this.problem === problem &&
      JSON.stringify(this.robots.map(({ name }) => name)) === JSON.stringify(robots.map(({ name }) => name));
    this.robots = robots;
    this.problem = problem;
    const chosen =
      robots.find(({ name }) => name === this.name) ?? robots.find(({ connected }) => connected) ?? robots[0];
    if (chosen && !this.#socket.isThere) this.pick(chosen.name);
    else if (!chosen && !this.#socket.isThere) this.#become("none");
    if (!same) this.changed();
  }

  #open() {
    this.#leave();
    this.#socket.connect(`/v1/robots/${encodeURIComponent(this.name)}/live`);
    this.changed();
  }

  #leave() {
    this.now = silent();
    for (const answer of this.#orders.values()) answer(unsent());
    this.#orders.clear();
  }

  #read(message) {
    const { type, ...value } = message;
    const { now } = this;
    if (type === "tick") {
      now.tick = value;
      this.dispatchEvent(new CustomEvent("tick", { detail: value }));
      this.ticks.changed();
      return;
    }
    if (type === "answer") {
      this.#orders.get(value.id)?.(value);
      this.#orders.delete(value.id);
      return;
    }
    if (type === "check" && value.name === FIRST_CHECK) now.checks.clear();
    if (type === "check") now.checks.set(value.name, value);
    else if (type === "event") this.#note(value);
    else if (type === "gone") now.connected = false;
    else if (type === "back") now.connected = true;
    else if (type in now) {
      if (type === "control" && now.control.mine && !value.mine && !this.#letsGo) this.#saidLost();
      now[type] = value;
    }
    if (type === "hello") now.connected = true;
    if (type === "session" && now.summary) now.summary = { ...now.summary, busy: "" };
    if (type === "summary" && value.recording_words && value.recording_words !== this.#recordingWords) {
      this.#note({ code: "recording", words: value.recording_words });
    }
    if (type === "summary") this.#recordingWords = value.recording_words;
    this.dispatchEvent(new CustomEvent(type, { detail: value }));
    this.changed();
  }

  #saidLost() {
    toast(say("control.lost"), say("control.lost_hint"), "bad");
  }

  #doing(what) {
    this.now.summary = { ...this.now.summary, busy: what };
    this.changed();
  }

  #note(line) {
    this.lines = [{ at: new Date(), ...line }, ...this.lines].slice(0, MAX_LINES);
  }

  #become(status) {
    if (this.status === status) return;
    this.status = status;
    this.changed();
  }
}

export const robot = new RobotLink();
