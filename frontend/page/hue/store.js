// Studies, the one that is looked at, and what this person rates in it; fetched anew when the server says so.

import { onRevision } from "../data/live.js";
import { Store } from "../data/store.js";
import { renameVoter, voter } from "../data/voter.js";
import { ask, askJson } from "../parts/server.js";

const TOGETHER_MS = 400; // of answers

class HueStore extends Store {
  studies = null; // null until the first answer
  study = null; // with prompts and questions
  results = null;
  next = null; // { card, num_left, num_done, last }
  view = "rate";
  reasoners = [];
  comparisons = [];
  given = []; // library items of the address, for a new study
  batch = ""; // comparison of the address
  busy = false;
  #chosen = null; // id
  #turn = 0;
  #dealt = 0;

  start() {
    const address = new URLSearchParams(location.search);
    this.#chosen = address.get("study");
    this.batch = address.get("batch") ?? "";
    const items = (address.get("items") ?? "").split(",").filter(Boolean);
    Promise.all(items.map((id) => ask("GET", `/v1/library/${id}`))).then((found) => {
      this.given = found.filter((item) => item?.type === "video");
      this.changed();
    });
    onRevision("evaluation_revision", TOGETHER_MS, () => this.fetch());
    ask("GET", "/v1/arena/reasoners").then((found) => {
      this.reasoners = found?.reasoners ?? [];
      this.changed();
    });
    ask("GET", "/v1/comparisons").then((found) => {
      this.comparisons = found?.comparisons ?? [];
      this.changed();
    });
  }

  async fetch() {
    const turn = ++this.#turn;
    const found = await ask("GET", "/v1/hue");
    if (turn !== this.#turn || !found) return;
    this.studies = found.studies;
    if (!this.studies.some(({ id }) => id === this.#chosen)) this.#chosen = null;
    this.changed();
    await this.#draw(turn);
  }

  choose(id) {
    this.#chosen = id;
    this.study = this.results = this.next = null;
    this.view = "rate";
    const address = new URL(location.href);
    if (id) address.searchParams.set("study", id);
    else address.searchParams.delete("study");
    for (const used of ["items", "batch"]) address.searchParams.delete(used);
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
    const study = await askJson("POST", "/v1/hue", asked);
    if (!study) return false;
    this.given = [];
    this.batch = "";
    this.studies = [study, ...this.studies];
    await this.choose(study.id);
    await this.look(study.num_questions ? "rate" : "questions");
    return true;
  }

  async remove(id) {
    if ((await ask("DELETE", `/v1/hue/${id}`)) && id === this.#chosen) this.choose(null);
    return this.fetch();
  }

  async work(verb, task, reasoner) {
    await askJson("POST", `/v1/hue/${this.#chosen}/tasks${verb}`, { task, reasoner });
    return this.fetch();
  }

  /** Whether it was taken. */
  async addQuestion(question) {
    const added = await askJson("POST", `/v1/hue/${this.#chosen}/questions`, { ...question, author: voter() });
    await this.fetch();
    return Boolean(added);
  }

  async dropQuestion(id) {
    await ask("DELETE", `/v1/hue/${this.#chosen}/questions/${id}`);
    return this.fetch();
  }

  async setDomain(prompt, domain) {
    await askJson("PATCH", `/v1/hue/${this.#chosen}/prompts/${prompt}`, { domain });
    return this.fetch();
  }

  /** Answer the question that is shown, and show the next one. */
  rate(said) {
    const { card } = this.next ?? {};
    if (!card) return undefined;
    const { video, question } = card;
    return this.#during(() =>
      askJson("POST", `/v1/hue/${this.#chosen}/ratings`, {
        video: video.id,
        question: question.id,
        said,
        rater: voter(),
      }),
    );
  }

  undo() {
    const { last } = this.next ?? {};
    return last && this.#during(() => ask("DELETE", `/v1/hue/${this.#chosen}/ratings/${last.id}`));
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
    const next = await ask("GET", `/v1/hue/${this.#chosen}/next?${new URLSearchParams({ rater: voter() })}`);
    if (next && turn === this.#dealt) this.next = next;
  }

  async #draw(turn) {
    const id = this.#chosen;
    if (!id) {
      this.study = null;
      this.changed();
      return;
    }
    const [study, results] = await Promise.all([
      ask("GET", `/v1/hue/${id}`),
      this.view === "scores" ? ask("GET", `/v1/hue/${id}/scores`) : null,
      this.view === "rate" && !this.busy ? this.#deal() : null,
    ]);
    if (turn !== this.#turn || !study) return;
    this.study = study;
    this.results = results ?? this.results;
    this.changed();
  }
}

export const hue = new HueStore();
