// Voting: two results of one request but for one thing, side by side under one playhead, and the ballot below. What the
// thing is stays with the server until the vote is in. The address names the pair, so that a reload shows it again.

import { Ballot } from "./ballot.js";
import { fieldName } from "./names.js";
import { voter } from "./voter.js";
import { places, say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { iconButton } from "../parts/icons.js";
import { isTyping } from "../parts/keyboard.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { cellOf } from "../playhead/cells.js";
import { ask, askJson } from "../parts/server.js";
import { emptyArena } from "./empty.js";

const DRAFT = "orrery.ballot"; // of this tab: the pair and what is chosen so far
const MOST_SKIPPED = 100;

class ArenaVote extends HTMLElement {
  #pair = null;
  #vote = null; // what this page has just cast
  #labels = []; // what the sides are called now
  #skipped = [];
  #asked = 0;
  #asking = false;

  /** The tab is open; asks for a pair the first time. */
  opened() {
    this.#build();
    if (this.#pair === null && !this.#asking) this.#begin();
  }

  #build() {
    if (this.firstChild) return;
    this.name = make("input", {
      class: "o-select",
      id: "arena-voter",
      maxlength: 60,
      autocomplete: "off",
      spellcheck: "false",
      value: voter.name,
      on: { change: () => this.#rename() },
    });
    this.count = make("span", { class: "o-count", role: "status" });
    this.prompt = make("p", { class: "o-arena-prompt", tabindex: 0 });
    this.given = make("div", { class: "o-arena-given" });
    this.sides = make("div", { class: "o-arena-answers" });
    this.ballot = new Ballot();
    this.ballot.addEventListener("choice", () => this.#keep());
    this.cast = make(
      "button",
      { type: "button", class: "o-btn o-primary", "data-do": "cast", on: { click: () => this.#go() } },
      make("span", {}),
      make("kbd", { "aria-hidden": "true" }, "↵"),
    );
    this.skip = make(
      "button",
      {
        type: "button",
        class: "o-btn",
        "data-do": "skip",
        "aria-keyshortcuts": "N",
        on: { click: () => this.#skip() },
      },
      say("arena.skip"),
      make("kbd", { "aria-hidden": "true" }, "N"),
    );
    this.undo = iconButton("restore", say("arena.take_back"), () => this.#revoke(), {
      "data-do": "undo",
      "aria-keyshortcuts": "U",
    });
    this.told = make("p", { class: "o-arena-told", role: "status" });
    this.stage = make("div", { class: "o-arena-stage" });
    this.work = make(
      "div",
      { class: "o-arena-work", hidden: true },
      make("div", { class: "o-arena-asked o-card-plain" }, this.given, this.prompt),
      this.stage,
      this.sides,
      make(
        "section",
        { class: "o-card-plain o-arena-ballot", "aria-label": say("arena.ballot") },
        this.ballot.node,
        make("div", { class: "o-arena-acts" }, this.told, this.undo, this.skip, this.cast),
      ),
    );
    this.empty = emptyArena();
    this.done = make(
      "div",
      { class: "o-card-plain o-empty", hidden: true },
      make("b", {}, say("arena.all_done")),
      make("p", {}, say("arena.all_done_hint")),
      make("a", { class: "o-btn", href: `${places.arena.path}#ranking` }, say("arena.see_ranking")),
    );
    this.append(
      make(
        "div",
        { class: "o-arena-line" },
        make("label", { for: "arena-voter" }, say("arena.voter")),
        this.name,
        this.count,
      ),
      this.empty,
      this.done,
      this.work,
    );
    addEventListener("keydown", (event) => this.#key(event));
    lost.addEventListener("state", () => this.#lose());
  }

  // The pair of the address, with the ballot as it was left; else the next one.
  async #begin() {
    const named = new URLSearchParams(location.search).get("pair");
    if (!named) return this.#next();
    const asked = ++this.#asked;
    const response = await fetch(
      `/v1/arena/pairs/${encodeURIComponent(named)}?${new URLSearchParams({ voter: voter.name })}`,
    ).catch(() => null);
    if (asked !== this.#asked) return undefined;
    if (!response?.ok) return this.#next();
    const pair = await response.json();
    const cast = await ask("GET", `/v1/arena/votes?${new URLSearchParams({ voter: voter.name, limit: "500" })}`);
    this.#take(pair);
    const mine = cast?.votes.find((vote) => vote.pair === pair.id && vote.by === "person");
    if (mine) this.#reveal(mine);
    return this.#tally();
  }

  async #next() {
    const asked = ++this.#asked;
    this.#asking = true;
    mark(this, "data-state", "asking");
    const params = new URLSearchParams({ voter: voter.name });
    for (const pair of this.#skipped) params.append("skip", pair);
    const dealt = await ask("GET", `/v1/arena/pairs/next?${params}`);
    if (asked !== this.#asked) return;
    this.#asking = false;
    if (!dealt) return;
    this.#say(dealt);
    if (dealt.pair) this.#take(dealt.pair);
    else this.#none(dealt);
  }

  #none({ num_pairs: pairs }) {
    this.#pair = null;
    history.replaceState(null, "", `${location.pathname}${location.hash}`);
    show(this.work, false);
    show(this.empty, pairs === 0);
    show(this.done, pairs > 0);
    mark(this, "data-state", pairs ? "done" : "empty");
  }

  #take(pair) {
    this.#pair = pair;
    this.#vote = null;
    const { id, prompt, given, axes, left, right, kind } = pair;
    history.replaceState(null, "", `${location.pathname}?${new URLSearchParams({ pair: id })}${location.hash}`);
    write(this.prompt, prompt);
    show(this.given, given.length > 0);
    this.given.replaceChildren(
      ...given.map((media) =>
        make("img", { src: `/v1/media/${media}/thumbnail`, alt: say("arena.given"), title: say("arena.given") }),
      ),
    );
    const seen = kind !== "answer";
    show(this.stage, seen);
    show(this.sides, !seen);
    // A new playhead each time: at its beginning, its views as they were made.
    this.stage.querySelector("o-playhead")?.forget();
    this.stage.replaceChildren(...(seen ? [make("o-playhead")] : []));
    if (seen) {
      this.#show([say("choice.left"), say("choice.right")]);
    }
    this.sides.replaceChildren(
      ...(seen
        ? []
        : [left, right].map(({ text }, index) =>
            make(
              "section",
              { class: "o-card-plain o-answer" },
              make("h3", {}, say(index ? "choice.right" : "choice.left")),
              make("p", {}, text),
            ),
          )),
    );
    const draft = JSON.parse(sessionStorage[DRAFT] ?? "{}");
    this.ballot.take(axes, draft.pair === id ? draft.choices : {});
    show(this.empty, false);
    show(this.done, false);
    show(this.work, true);
    this.#paint();
  }

  #show(labels) {
    this.#labels = labels;
    const sides = [this.#pair.left, this.#pair.right];
    this.stage
      .querySelector("o-playhead")
      ?.show({ columns: labels, cells: sides.map((side, column) => cellOf(side, { column, label: labels[column] })) });
  }

  // A side went after the pair was dealt: nobody can judge it any more.
  #lose() {
    if (!this.#pair || !this.#isLost) return;
    this.#show(this.#labels);
    this.#paint();
  }

  get #isLost() {
    return lost.has(this.#pair.left.id) || lost.has(this.#pair.right.id);
  }

  #paint() {
    const voted = this.#vote !== null;
    const isLost = !voted && this.#isLost;
    const over = voted || isLost;
    mark(this, "data-state", voted ? "voted" : isLost ? "lost" : "voting");
    mark(this, "data-pair", this.#pair.id);
    this.ballot.locked = over;
    this.cast.disabled = !over && !this.ballot.whole;
    write(this.cast.firstChild, say(over ? "arena.next" : "arena.cast"));
    show(this.skip, !over);
    show(this.undo, voted);
    if (!voted)
      write(this.told, say(isLost ? "arena.lost" : this.ballot.whole ? "arena.can_cast" : "arena.needs_overall"));
  }

  #reveal(vote) {
    this.#vote = vote;
    this.ballot.take(this.#pair.axes, this.#asShown(vote));
    const [left, right] = vote.left.id === this.#pair.left.id ? [vote.left, vote.right] : [vote.right, vote.left];
    write(this.told, say("arena.was", { field: fieldName(vote.contest), left: left.value, right: right.value }));
    this.#show([left.value, right.value]);
    this.sides.querySelectorAll("h3").forEach((title, index) => write(title, [left, right][index].value));
    this.#paint();
  }

  #asShown(vote) {
    if (vote.left.id === this.#pair.left.id) return vote.choices;
    const turned = { left: "right", right: "left" };
    return Object.fromEntries(Object.entries(vote.choices).map(([axis, choice]) => [axis, turned[choice] ?? choice]));
  }

  async #go() {
    if (this.#vote || this.#isLost) return this.#next();
    if (!this.ballot.whole || this.cast.disabled) return undefined;
    this.cast.disabled = true;
    const { id, left } = this.#pair;
    const vote = await askJson("POST", "/v1/arena/votes", {
      pair: id,
      left: left.id,
      voter: voter.name,
      choices: this.ballot.choices,
    });
    if (this.#pair?.id !== id) return undefined;
    if (!vote) {
      for (const side of [this.#pair.left, this.#pair.right]) lost.check(side.id);
      return this.#paint();
    }
    delete sessionStorage[DRAFT];
    this.#reveal(vote);
    return this.#tally();
  }

  #skip() {
    if (this.#vote || !this.#pair) return;
    this.#skipped = [...this.#skipped, this.#pair.id].slice(-MOST_SKIPPED);
    this.#next();
  }

  async #revoke() {
    const vote = this.#vote;
    const pair = this.#pair;
    if (!vote || !(await ask("DELETE", `/v1/arena/votes/${vote.id}`))) return;
    if (this.#vote !== vote || this.#pair !== pair) return; // somebody has gone on meanwhile
    this.#take(pair);
    this.ballot.take(pair.axes, this.#asShown(vote));
    this.#keep();
    this.#tally();
  }

  #keep() {
    sessionStorage[DRAFT] = JSON.stringify({ pair: this.#pair.id, choices: this.ballot.choices });
    this.#paint();
  }

  #rename() {
    voter.name = this.name.value;
    this.name.value = voter.name;
    this.#skipped = [];
    this.#next();
  }

  async #tally() {
    const dealt = await ask("GET", `/v1/arena/pairs/next?${new URLSearchParams({ voter: voter.name })}`);
    if (dealt) this.#say(dealt);
  }

  #say({ num_pairs: pairs, num_left: left }) {
    write(this.count, pairs ? say("arena.left", { left: left.toLocaleString(), pairs: pairs.toLocaleString() }) : "");
  }

  #key(event) {
    if (
      !this.offsetParent ||
      !this.#pair ||
      event.repeat ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping(event)
    )
      return;
    if (document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    // On another button, a link or a tab, Enter is that one's.
    const own = !event.target.closest?.("button, a, summary") || event.target.closest(".o-ballot, [data-do=cast]");
    if (key === "n") this.#skip();
    else if (key === "u") this.#revoke();
    else if (key === "enter" && own) this.#go();
    else if (event.target.closest?.("[role=tab], select, input") || this.#vote || !this.ballot.key(event)) return;
    event.preventDefault();
  }
}

customElements.define("o-arena-vote", ArenaVote);
