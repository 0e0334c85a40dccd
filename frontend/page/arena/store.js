// Rankings and votes as the server has them, for every part of the arena that shows them.

import { ask } from "../parts/server.js";

class ArenaStore extends EventTarget {
  standings = null;
  votes = [];
  total = 0;
  reasoners = [];
  #view = { contest: "", voters: "person", kind: "" };
  #asked = 0;

  /** Choose whose votes on what are ranked. */
  choose(view) {
    this.#view = { ...this.#view, ...view };
    return this.ask();
  }

  /** Ask for everything anew. */
  async ask() {
    const asked = ++this.#asked;
    const wanted = Object.entries(this.#view).filter(([, value]) => value);
    const [standings, votes, reasoners] = await Promise.all([
      ask("GET", `/v1/arena/standings?${new URLSearchParams(wanted)}`),
      ask("GET", "/v1/arena/votes?limit=50"),
      this.reasoners.length ? null : ask("GET", "/v1/arena/reasoners"),
    ]);
    if (asked !== this.#asked) return;
    this.standings = standings ?? this.standings;
    this.votes = votes?.votes ?? this.votes;
    this.total = votes?.total ?? this.total;
    this.reasoners = reasoners?.reasoners ?? this.reasoners;
    this.dispatchEvent(new Event("state"));
  }

  /** Who can be asked; asked anew, since a checkpoint may have been loaded. */
  async askReasoners() {
    const found = await ask("GET", "/v1/arena/reasoners");
    if (found) this.reasoners = found.reasoners;
    this.dispatchEvent(new Event("state"));
  }
}

export const arena = new ArenaStore();
