// What people judge one by one: a list, the one of it that is looked at, and what this person judges next; fetched anew
// when the server says so.

import { onRevision } from "../data/live.js";
import { Store } from "../data/store.js";
import { renameVoter, voter } from "../data/voter.js";
import { ask } from "./server.js";

const TOGETHER_MS = 400; // of judgements

export class JudgedStore extends Store {
  listed = null; // null until the first answer
  shown = null; // the one that is looked at, whole
  scores = null;
  next = null; // { card, num_left, num_done, last }
  view = "";
  busy = false;
  #of;
  #chosen = null; // id
  #turn = 0;
  #dealt = 0;

  /**
   * `path` is the API's, `list` the field of its answer, `votes` where judgements are; `parameter` of the address holds
   * what is looked at, `used` what a new one was begun with; `view` is the one that judges.
   *
   * @param {{ path: string, list: string, votes: string, parameter: string, used?: string[], view: string }} of
   */
  constructor(of) {
    super();
    this.#of = of;
    this.view = of.view;
  }

  /** The path of what is looked at. */
  get path() {
    return `${this.#of.path}/${this.#chosen}`;
  }

  start() {
    this.#chosen = new URLSearchParams(location.search).get(this.#of.parameter);
    onRevision("evaluation_revision", TOGETHER_MS, () => this.fetch());
  }

  async fetch() {
    const turn = ++this.#turn;
    const found = await ask("GET", this.#of.path);
    if (turn !== this.#turn || !found) return;
    this.listed = found[this.#of.list];
    if (!this.listed.some(({ id }) => id === this.#chosen)) this.#chosen = null;
    this.changed();
    await this.#draw(turn);
  }

  choose(id) {
    const { parameter, used = [], view } = this.#of;
    this.#chosen = id;
    this.shown = this.next = this.scores = null;
    this.view = view;
    const address = new URL(location.href);
    for (const name of used) address.searchParams.delete(name);
    if (id) address.searchParams.set(parameter, id);
    else address.searchParams.delete(parameter);
    history.replaceState(history.state, "", address);
    this.changed();
    return this.#draw(++this.#turn);
  }

  look(view) {
    this.view = view;
    this.changed();
    return this.#draw(++this.#turn);
  }

  /** List what was made, and look at it. */
  async open(made, view) {
    this.listed = [made, ...(this.listed ?? [])];
    await this.choose(made.id);
    await this.look(view);
  }

  async remove(id) {
    if ((await ask("DELETE", `${this.#of.path}/${id}`)) && id === this.#chosen) this.choose(null);
    return this.fetch();
  }

  undo() {
    const { last } = this.next ?? {};
    return last && this.during(() => ask("DELETE", `${this.path}/${this.#of.votes}/${last.id}`));
  }

  rename(name) {
    renameVoter(name);
    return this.during(() => true);
  }

  /** Judge what is shown, and show the next. */
  async during(act) {
    if (this.busy) return;
    this.busy = true;
    this.#dealt += 1; // what was asked for before is not shown while keys are not taken
    await act();
    await this.#deal();
    this.busy = false;
    this.changed();
  }

  /** Show what is judged next. */
  take(next) {
    this.next = next;
  }

  /** What the view of scores shows. */
  readScores() {
    return ask("GET", `${this.path}/scores`);
  }

  async #deal() {
    const turn = ++this.#dealt;
    const next = await ask("GET", `${this.path}/next?${new URLSearchParams({ rater: voter() })}`);
    if (next && turn === this.#dealt) this.take(next);
  }

  async #draw(turn) {
    if (!this.#chosen) {
      this.shown = null;
      this.changed();
      return;
    }
    const [shown, scores] = await Promise.all([
      ask("GET", this.path),
      this.view === "scores" ? this.readScores() : null,
      this.view === this.#of.view && !this.busy ? this.#deal() : null,
    ]);
    if (turn !== this.#turn || !shown) return;
    this.shown = shown;
    this.scores = scores ?? this.scores;
    this.changed();
  }
}
