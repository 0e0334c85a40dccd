// Benchmarks, runs, and who can be asked, as the server has them; fetched anew when it says that they are others.

import { Store } from "../data/store.js";
import { onRevision } from "../data/live.js";
import { ask, askJson } from "../parts/server.js";

const TOGETHER_MS = 400; // of answers
const MOST_BESIDE = 6;

class EvaluateStore extends Store {
  benchmarks = null; // null until the first answer
  runs = [];
  reasoners = [];
  metrics = {};
  judges = []; // how judges graded the known pairs
  chosen = []; // ids of the runs that are looked at, all of one benchmark
  table = null; // of the chosen runs
  metric = ""; // of the table; empty is the one that runs are compared by
  scores = {}; // by run
  fetched = 0; // rises whenever the server had something new
  #turn = 0;

  start() {
    const address = new URLSearchParams(location.search);
    this.chosen = (address.get("run") ?? "").split(",").filter(Boolean);
    onRevision("evaluation_revision", TOGETHER_MS, () => this.fetch());
    ask("GET", "/v1/runs/metrics").then((found) => {
      this.metrics = Object.fromEntries((found?.metrics ?? []).map((metric) => [metric.name, metric]));
      this.changed();
    });
    ask("GET", "/v1/arena/reasoners").then((found) => {
      this.reasoners = found?.reasoners ?? [];
      this.changed();
    });
  }

  async fetch() {
    const turn = ++this.#turn;
    const [benchmarks, runs, judges] = await Promise.all([
      ask("GET", "/v1/benchmarks"),
      ask("GET", "/v1/runs"),
      ask("GET", "/v1/runs/judges"),
    ]);
    if (turn !== this.#turn || !benchmarks || !runs) return;
    this.benchmarks = benchmarks.benchmarks;
    this.runs = runs.runs;
    this.judges = judges?.judges ?? [];
    this.fetched += 1;
    this.chosen = this.chosen.filter((id) => this.runs.some((run) => run.id === id));
    this.changed();
    await this.#draw(turn);
  }

  /** The runs that are looked at, in the order in which they were chosen. */
  get shown() {
    return this.chosen.map((id) => this.runs.find((run) => run.id === id)).filter(Boolean);
  }

  /** Look at one run alone, or with the others of its benchmark. */
  choose(id, beside = false) {
    const run = this.runs.find((one) => one.id === id);
    const same = this.shown.filter((one) => one.benchmark_id === run?.benchmark_id).map((one) => one.id);
    if (!beside) this.chosen = [id];
    else if (same.includes(id)) this.chosen = same.filter((one) => one !== id);
    else this.chosen = [...same, id].slice(-MOST_BESIDE);
    const address = new URL(location.href);
    if (this.chosen.length) address.searchParams.set("run", this.chosen.join(","));
    else address.searchParams.delete("run");
    history.replaceState(history.state, "", address);
    this.table = null;
    this.metric = "";
    this.changed();
    return this.#draw(++this.#turn);
  }

  /** Another metric for the table. */
  measure(metric) {
    this.metric = metric;
    return this.#draw(++this.#turn);
  }

  async begin(asked) {
    const run = await askJson("POST", "/v1/runs", asked);
    if (!run) return false;
    this.runs = [run, ...this.runs];
    await this.choose(run.id);
    return true;
  }

  async act(id, verb, body) {
    await askJson("POST", `/v1/runs/${id}/${verb}`, body ?? {});
    return this.fetch();
  }

  async remove(id) {
    if (await ask("DELETE", `/v1/runs/${id}`)) this.chosen = this.chosen.filter((one) => one !== id);
    return this.fetch();
  }

  async #draw(turn) {
    const runs = this.shown;
    const scores = await Promise.all(runs.map((run) => ask("GET", `/v1/runs/${run.id}/scores`)));
    const query = runs.map((run) => `run=${run.id}`).join("&") + (this.metric && `&metric=${this.metric}`);
    const table = runs.length ? await ask("GET", `/v1/runs/table?${query}`) : null;
    if (turn !== this.#turn) return;
    this.scores = Object.fromEntries(runs.map((run, at) => [run.id, scores[at]]));
    this.table = table;
    this.changed();
  }
}

export const evaluation = new EvaluateStore();
