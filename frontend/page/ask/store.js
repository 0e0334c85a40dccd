// Conversations, one about each item, kept in this browser alone and deleted there.

import { Store } from "../data/store.js";

const KEY = "orrery.ask";
const MOST_CHATS = 40;
const MOST_TURNS = 80;

class AskStore extends Store {
  #chats = read(); // item id, "" for none → { at, turns }

  /**
   * The turns about an item: `{ role: "user", text, task? }` and `{ role: "assistant", text, thought, results, skipped,
   * failure, stopped, error }`; one that is `open` has the `call` that asks for it and its `key`.
   */
  turns(id) {
    return this.#chats[id]?.turns ?? [];
  }

  /** What a person has asked in words, newest conversation first and in each the newest question. */
  get questions() {
    const newest = Object.values(this.#chats).sort((a, b) => b.at - a.at);
    return newest.flatMap(({ turns }) =>
      turns
        .filter(({ role, task }) => role === "user" && !task)
        .map(({ text }) => text)
        .reverse(),
    );
  }

  /** The item of the conversation that was had last; "" where it is about none, or where there is none. */
  get last() {
    const [newest] = Object.entries(this.#chats).sort(([, a], [, b]) => b.at - a.at);
    return newest?.[0] ?? "";
  }

  get size() {
    return Object.keys(this.#chats).length;
  }

  /** Take back the last question and its answer. */
  takeBack(id) {
    const chat = this.#chats[id];
    chat.turns = chat.turns.slice(0, -2);
    this.#keep();
  }

  add(id, turn) {
    const turns = [...this.turns(id), turn].slice(-MOST_TURNS);
    this.#chats[id] = { at: Date.now(), turns };
    this.#keep();
    return turn;
  }

  /** A turn has grown; it is written down when `keep` says that it is whole. */
  grow(turn, changes, keep = false) {
    Object.assign(turn, changes);
    if (keep) this.#keep();
    else this.changed();
  }

  delete(id) {
    delete this.#chats[id];
    this.#keep();
  }

  deleteAll() {
    this.#chats = {};
    this.#keep();
  }

  #keep() {
    const newest = Object.entries(this.#chats).sort(([, a], [, b]) => b.at - a.at);
    this.#chats = Object.fromEntries(newest.slice(0, MOST_CHATS));
    try {
      if (newest.length) localStorage[KEY] = JSON.stringify(this.#chats);
      else localStorage.removeItem(KEY);
    } catch {
      // The browser's store is full: the oldest half gives way.
      this.#chats = Object.fromEntries(newest.slice(0, Math.floor(newest.length / 2)));
      localStorage[KEY] = JSON.stringify(this.#chats);
    }
    this.changed();
  }
}

function read() {
  try {
    return JSON.parse(localStorage[KEY] ?? "{}");
  } catch {
    return {};
  }
}

export const chats = new AskStore();
