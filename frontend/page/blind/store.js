// Blind tests, the one that is looked at, and the pair that this person judges.

import { voter } from "../data/voter.js";
import { JudgedStore } from "../parts/judged_store.js";
import { ask, askJson } from "../parts/server.js";

const PATH = "/v1/blind-tests";

class BlindStore extends JudgedStore {
  progress = [0, 0]; // of the card's sides, shares

  constructor() {
    super({ path: PATH, list: "tests", votes: "verdicts", parameter: "blind", view: "judge" });
  }

  get tests() {
    return this.listed;
  }

  get test() {
    return this.shown;
  }

  /** Whether it was taken. */
  async create(asked) {
    const test = await askJson("POST", PATH, asked);
    if (test) await this.open(test, "add");
    return Boolean(test);
  }

  /** Whether it was taken. */
  async addPair(pair) {
    const added = await askJson("POST", `${this.path}/pairs`, pair);
    await this.fetch();
    return Boolean(added);
  }

  /** How far a side got, 0 to 1. */
  setProgress(side, value) {
    const share = Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
    this.progress = this.progress.map((old, index) => (index === side ? share : old));
    this.changed();
  }

  take(next) {
    if (next.card?.pair !== this.next?.card?.pair) this.progress = [0, 0];
    super.take(next);
  }

  judge(better) {
    const { card } = this.next ?? {};
    if (!card) return undefined;
    const verdict = { pair: card.pair, better, progress: this.progress, rater: voter() };
    return this.during(() => askJson("POST", `${this.path}/verdicts`, verdict));
  }

  /** Of this test, and of all. */
  async readScores() {
    const [test, all] = await Promise.all([super.readScores(), ask("GET", `${PATH}/scores`)]);
    return test && all ? { test, all } : null;
  }
}

export const blind = new BlindStore();
