// Studies, the one that is looked at with its prompts and questions, and what this person rates in it.

import { voter } from "../data/voter.js";
import { JudgedStore } from "../parts/judged_store.js";
import { ask, askJson } from "../parts/server.js";

const PATH = "/v1/hue";

class HueStore extends JudgedStore {
  reasoners = [];
  comparisons = [];
  given = []; // library items of the address, for a new study
  batch = ""; // comparison of the address

  constructor() {
    super({
      path: PATH,
      list: "studies",
      votes: "ratings",
      parameter: "study",
      used: ["items", "batch"],
      view: "rate",
    });
  }

  get studies() {
    return this.listed;
  }

  get study() {
    return this.shown;
  }

  start() {
    super.start();
    const address = new URLSearchParams(location.search);
    this.batch = address.get("batch") ?? "";
    const items = (address.get("items") ?? "").split(",").filter(Boolean);
    Promise.all(items.map((id) => ask("GET", `/v1/library/${id}`))).then((found) => {
      this.given = found.filter((item) => item?.type === "video");
      this.changed();
    });
    ask("GET", "/v1/arena/reasoners").then((found) => {
      this.reasoners = found?.reasoners ?? [];
      this.changed();
    });
    ask("GET", "/v1/comparisons").then((found) => {
      this.comparisons = found?.comparisons ?? [];
      this.changed();
    });
  }

  /** Whether it was taken. */
  async create(asked) {
    const study = await askJson("POST", PATH, asked);
    if (!study) return false;
    this.given = [];
    this.batch = "";
    await this.open(study, study.num_questions ? "rate" : "questions");
    return true;
  }

  async work(verb, task, reasoner) {
    await askJson("POST", `${this.path}/tasks${verb}`, { task, reasoner });
    return this.fetch();
  }

  /** Whether it was taken. */
  async addQuestion(question) {
    const added = await askJson("POST", `${this.path}/questions`, { ...question, author: voter() });
    await this.fetch();
    return Boolean(added);
  }

  async dropQuestion(id) {
    await ask("DELETE", `${this.path}/questions/${id}`);
    return this.fetch();
  }

  async setDomain(prompt, domain) {
    await askJson("PATCH", `${this.path}/prompts/${prompt}`, { domain });
    return this.fetch();
  }

  /** Answer the question that is shown, and show the next one. */
  rate(said) {
    const { card } = this.next ?? {};
    if (!card) return undefined;
    const rating = { video: card.video.id, question: card.question.id, said, rater: voter() };
    return this.during(() => askJson("POST", `${this.path}/ratings`, rating));
  }
}

export const hue = new HueStore();
