// Blind tests, the one that is looked at, and the pair that this person judges; fetched anew when the server says so.

import { onRevision } from "../data/live.js";
import { Store } from "../data/store.js";
import { renameVoter, voter } from "../data/voter.js";
import { ask, askJson } from "../parts/server.js";

const TOGETHER_MS = 400; // of verdicts

class BlindStore extends Store {
  tests = null; // null until the first answer
  test = null;
  next = null; // { card, num_left, num_done, last }
  scores = null; // { test, all }
  view = "judge";
  busy = false;
  progress = [0, 0]; // of the card's sides, shares
  #chosen = null; // id
  #turn = 0;
  #dealt = 0;

  start() {
    this.#chosen = new URLSearchParams(location.search).get("blind");
    onRevision("evaluation_revision", TOGETHER_MS, () => this.fetch());
  }

  async fetch() {
    const turn = ++this.#turn;
    const found = await ask("GET", "/v1/blind-tests");
    if (turn !== this.#turn || !found) return;
    this.tests = found.tests;
    if (!this.tests.some(({ id }) => id === this.#chosen)) this.#chosen = null;
    this.changed();
    await this.#draw(turn);
  }

  choose(id) {
    this.#chosen = id;
    this.test = this.next = this.scores = null;
    this.view = "judge";
    const address = new URL(location.href);
    if (id) address.searchParams.set("blind", id);
    else address.searchParams.delete("blind");
    history.replaceState(history.state, "", address);
    this.changed();
    return this.#draw(++this.#turn);
  }

  look(view) {
    this.view = view;
    this.changed();
    return this.#draw(++this.#turn);
  }

  /** Whether it was taken. */
  async create(asked) {
    const test = await askJson("POST", "/v1/blind-tests", asked);
    if (!test) return false;
    this.tests = [test, ...(this.tests ?? [])];
    await this.choose(test.id);
    await this.look("add");
    return true;
  }

  async remove(id) {
    if ((await ask("DELETE", `/v1/blind-tests/${id}`)) && id === this.#chosen) this.choose(null);
    return this.fetch();
  }

  /** Whether it was taken. */
  async addPair(pair) {
    const added = await askJson("POST", `/v1/blind-tests/${this.#chosen}/pairs`, pair);
    await this.fetch();
    return Boolean(added);
  }

  /** How far a side got, 0 to 1. */
  setProgress(side, value) {
    const share = Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
    this.progress = this.progress.map((old, index) => (index === side ? share : old));
    this.changed();
  }

  /** Judge the pair that is shown, and show the next one. */
  judge(better) {
    const { card } = this.next ?? {};
    if (!card) return undefined;
    const verdict = { pair: card.pair, better, progress: this.progress, rater: voter() };
    return this.#during(() => askJson("POST", `/v1/blind-tests/${this.#chosen}/verdicts`, verdict));
  }

  undo() {
    const { last } = this.next ?? {};
    return last && this.#during(() => ask("DELETE", `/v1/blind-tests/${this.#chosen}/verdicts/${last.id}`));
  }

  rename(name) {
    renameVoter(name);
    return this.#during(() => true);
  }

  async #during(act) {
    if (this.busy) return;
    this.busy = true;
    this.#dealt += 1; // what was asked for before is not shown while keys are not taken
    await act();
    await this.#deal();
    this.busy = false;
    this.changed();
  }

  async #deal() {
    const turn = ++this.#dealt;
    const query = new URLSearchParams({ rater: voter() });
    const next = await ask("GET", `/v1/blind-tests/${this.#chosen}/next?${query}`);
    if (!next || turn !== this.#dealt) return;
    if (next.card?.pair !== this.next?.card?.pair) this.progress = [0, 0];
    this.next = next;
  }

  async #draw(turn) {
    const id = this.#chosen;
    if (!id) {
      this.test = null;
      this.changed();
      return;
    }
    const looksAtScores = this.view === "scores";
    const [test, own, all] = await Promise.all([
      ask("GET", `/v1/blind-tests/${id}`),
      looksAtScores ? ask("GET", `/v1/blind-tests/${id}/scores`) : null,
      looksAtScores ? ask("GET", "/v1/blind-tests/scores") : null,
      this.view === "judge" && !this.busy ? this.#deal() : null,
    ]);
    if (turn !== this.#turn || !test) return;
    this.test = test;
    if (own && all) this.scores = { test: own, all };
    this.changed();
  }
}

export const blind = new BlindStore();
