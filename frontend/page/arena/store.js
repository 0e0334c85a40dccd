// What the server has of the arena: rankings and votes, who can be asked, and questions with their answers.

import { say, titleOf } from "../data/facts.js";
import { Store } from "../data/store.js";
import { ask, askJson } from "../parts/server.js";

const FIELDS = ["checkpoint", "reasoner", "adapter", "upsample"];

class ArenaStore extends Store {
  standings = null;
  votes = [];
  total = 0;
  reasoners = [];
  view = { contest: "", voters: "person", kind: "" };
  #asked = 0;

  /** Choose whose votes on what are ranked. */
  choose(view) {
    this.view = { ...this.view, ...view };
    return this.ask();
  }

  /** Ask for everything anew. */
  async ask() {
    const asked = ++this.#asked;
    const wanted = Object.entries(this.view).filter(([, value]) => value);
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
    this.changed();
  }

  /** Who can be asked; asked anew, since a checkpoint may have been loaded. */
  async askReasoners() {
    const found = await ask("GET", "/v1/arena/reasoners");
    if (found) this.reasoners = found.reasoners;
    this.changed();
  }
}

class QuestionStore extends Store {
  found = null; // as GET /v1/arena/questions answered
  busy = {}; // by the question's id, "asking" or "grading"

  async ask() {
    this.found = (await ask("GET", "/v1/arena/questions")) ?? this.found;
    this.changed();
  }

  /** Put a question, and have it answered; whether it was taken. */
  async put(question, reasoners) {
    const put = await askJson("POST", "/v1/arena/questions", { questions: [question], reasoners });
    if (!put) return false;
    await this.ask();
    for (const { id } of put.questions) this.answer(id);
    return true;
  }

  /** Have the missing answers asked for. */
  answer(id) {
    return this.#during(id, "asking", () => ask("POST", `/v1/arena/questions/${id}/answers`));
  }

  grade(id, judge) {
    return this.#during(id, "grading", () => askJson("POST", `/v1/arena/questions/${id}/grades`, { judge }));
  }

  async remove(id) {
    if (await ask("DELETE", `/v1/arena/questions/${id}`)) await this.ask();
  }

  async #during(id, name, act) {
    this.busy[id] = name;
    this.changed();
    await act();
    delete this.busy[id];
    await this.ask();
  }
}

export const arena = new ArenaStore();
export const questions = new QuestionStore();

/** What people read for the field that a contest is named by: "sampling.guidance_scale" is "Guidance". */
export function fieldName(contest) {
  if (FIELDS.includes(contest)) return say(`field.${contest}`);
  const name = contest.replace(/^sampling\./, "");
  return name.includes(".") ? name.replace(/[_.]/g, " ") : titleOf(name);
}
