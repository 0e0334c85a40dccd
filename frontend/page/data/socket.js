// A websocket of the page that comes back by itself: messages as JSON, and pictures of the topics that are wanted.

const FIRST_WAIT_MS = 250;

export class Socket {
  #heard;
  #longest;
  #path = "";
  #socket = null; // null while there is none; the next attempt is on its way
  #wait = FIRST_WAIT_MS;
  #topics = new Map(); // topic → how many parts want it

  /**
   * `heard` is told of it: `opened()`, `closed(code)`, which comes back unless that is false, `read(message)` and
   * `show({ topic, image })`; `longestWaitMs` lies between two attempts at most.
   */
  constructor(heard, longestWaitMs) {
    this.#heard = heard;
    this.#longest = longestWaitMs;
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", (event) => event.persisted && this.connect(this.#path));
    addEventListener("online", () => this.#again());
    document.addEventListener("visibilitychange", () => this.#sendTopics());
  }

  /** Whether there is one, open or about to be. */
  get isThere() {
    return this.#socket !== null;
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Open it at a path of this server, in place of another. */
  connect(path) {
    this.close();
    this.#path = path;
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${path}`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = FIRST_WAIT_MS;
      this.#sendTopics();
      this.#heard.opened();
    };
    socket.onclose = ({ code }) => {
      if (socket !== this.#socket) return;
      this.#socket = null;
      if (this.#heard.closed(code) === false) return;
      setTimeout(() => this.#again(), this.#wait * (0.5 + Math.random()));
      this.#wait = Math.min(this.#wait * 2, this.#longest);
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      if (typeof data === "string") this.#heard.read(JSON.parse(data));
      else this.#heard.show(pictureOf(data));
    };
  }

  close() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  /** Ask for a topic's pictures until the returned function is called. */
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

  #again() {
    if (this.#path && !this.#socket) this.connect(this.#path);
  }

  // A page that nobody looks at asks for no pictures.
  #sendTopics() {
    if (this.isOpen) this.send({ want: document.hidden ? [] : [...this.#topics.keys()] });
  }
}

// Two bytes of topic length, big-endian, the topic, a JPEG.
function pictureOf(buffer) {
  const length = new DataView(buffer).getUint16(0);
  const topic = new TextDecoder().decode(new Uint8Array(buffer, 2, length));
  return { topic, image: new Blob([new Uint8Array(buffer, 2 + length)], { type: "image/jpeg" }) };
}
