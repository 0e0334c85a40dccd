// The pair that is voted on and its ballot. What the two differ in stays with the server until the vote is in. The
// address names the pair, so that a reload shows it again.

import { lost } from "../data/gone.js";
import { Store } from "../data/store.js";
import { renameVoter, voter } from "../data/voter.js";
import { ask, askJson } from "../parts/server.js";

const DRAFT = "orrery.ballot"; // of this tab: the pair and what is chosen so far
const MOST_SKIPPED = 100;
const TURNED = { left: "right", right: "left" };

class Voting extends Store {
  pair = null;
  vote = null; // what this page has just cast
  choices = {}; // by axis
  marked = 0; // the place of the axis that keys answer
  tally = null; // { num_pairs, num_left } as the server counts
  casting = false;
  #dealing = ""; // while there is no pair: "asking", "done" or "empty"
  #skipped = [];
  #asked = 0;

  /** "asking", "done" or "empty"; of a pair "voting", "voted", or "lost" where a side went after it was dealt. */
  get state() {
    if (this.#dealing) return this.#dealing;
    if (!this.pair) return null;
    return this.vote ? "voted" : this.over ? "lost" : "voting";
  }

  /** Whether there is nothing to choose any more. */
  get over() {
    return Boolean(this.vote) || lost.has(this.pair.left.id) || lost.has(this.pair.right.id);
  }

  /** Whether it can be handed in. */
  get whole() {
    return Boolean(this.choices.overall);
  }

  /** What the sides of a vote were, and its choices, as this page shows them: the server may have them turned. */
  get sides() {
    const { left, right } = this.vote;
    return left.id === this.pair.left.id ? [left, right] : [right, left];
  }

  /** The pair of the address, with the ballot as it was left; else the next one. */
  async begin() {
    if (this.pair) return;
    const named = new URLSearchParams(location.search).get("pair");
    if (!named) return this.next();
    const asked = ++this.#asked;
    const response = await fetch(
      `/v1/arena/pairs/${encodeURIComponent(named)}?${new URLSearchParams({ voter: voter() })}`,
    ).catch(() => null);
    if (asked !== this.#asked) return;
    if (!response?.ok) return this.next();
    const pair = await response.json();
    const cast = await ask("GET", `/v1/arena/votes?${new URLSearchParams({ voter: voter(), limit: "500" })}`);
    this.#take(pair);
    const mine = cast?.votes.find((vote) => vote.pair === pair.id && vote.by === "person");
    if (mine) this.#reveal(mine);
    this.#count();
  }

  async next() {
    const asked = ++this.#asked;
    this.#deal("asking");
    const params = new URLSearchParams({ voter: voter() });
    for (const pair of this.#skipped) params.append("skip", pair);
    const dealt = await ask("GET", `/v1/arena/pairs/next?${params}`);
    if (asked !== this.#asked || !dealt) return;
    this.tally = dealt;
    if (dealt.pair) {
      this.#take(dealt.pair);
      return;
    }
    this.pair = null;
    history.replaceState(null, "", `${location.pathname}${location.hash}`);
    this.#deal(dealt.num_pairs ? "done" : "empty");
  }

  choose(axis, choice) {
    if (this.over) return;
    this.choices = { ...this.choices, [axis]: choice };
    this.#keep();
    this.mark(Math.min(this.pair.axes.indexOf(axis) + 1, this.pair.axes.length - 1));
  }

  mark(index) {
    this.marked = index;
    this.changed();
  }

  /** Cast the vote, or go on where that is done. */
  async go() {
    if (this.over) return this.next();
    if (!this.whole || this.casting) return;
    const { pair, choices } = this;
    this.casting = true;
    this.changed();
    const body = { pair: pair.id, left: pair.left.id, voter: voter(), choices };
    const vote = await askJson("POST", "/v1/arena/votes", body);
    this.casting = false;
    if (this.pair !== pair) return;
    if (!vote) {
      for (const side of [pair.left, pair.right]) lost.check(side.id);
      this.changed();
      return;
    }
    delete sessionStorage[DRAFT];
    this.#reveal(vote);
    this.#count();
  }

  skip() {
    if (this.vote || !this.pair) return;
    this.#skipped = [...this.#skipped, this.pair.id].slice(-MOST_SKIPPED);
    this.next();
  }

  async revoke() {
    const { vote, pair } = this;
    if (!vote || !(await ask("DELETE", `/v1/arena/votes/${vote.id}`))) return;
    if (this.vote !== vote || this.pair !== pair) return; // somebody has gone on meanwhile
    this.vote = null;
    this.#keep();
    this.#count();
    this.changed();
  }

  rename(name) {
    renameVoter(name);
    this.#skipped = [];
    this.next();
  }

  #deal(state) {
    this.#dealing = state;
    this.changed();
  }

  #take(pair) {
    this.pair = pair;
    this.vote = null;
    history.replaceState(null, "", `${location.pathname}?${new URLSearchParams({ pair: pair.id })}${location.hash}`);
    const draft = JSON.parse(sessionStorage[DRAFT] ?? "{}");
    this.#fill(draft.pair === pair.id ? draft.choices : {});
    this.#deal("");
  }

  #reveal(vote) {
    this.vote = vote;
    const turned = vote.left.id !== this.pair.left.id;
    const shown = ([axis, choice]) => [axis, (turned && TURNED[choice]) || choice];
    this.#fill(Object.fromEntries(Object.entries(vote.choices).map(shown)));
    this.changed();
  }

  #fill(choices) {
    const { axes } = this.pair;
    this.choices = Object.fromEntries(Object.entries(choices).filter(([axis]) => axes.includes(axis)));
    this.marked = Math.max(
      axes.findIndex((axis) => !this.choices[axis]),
      0,
    );
  }

  #keep() {
    sessionStorage[DRAFT] = JSON.stringify({ pair: this.pair.id, choices: this.choices });
  }

  async #count() {
    const dealt = await ask("GET", `/v1/arena/pairs/next?${new URLSearchParams({ voter: voter() })}`);
    if (dealt) this.tally = dealt;
    this.changed();
  }
}

export const voting = new Voting();
