// Data sets, tunings and recipes, as the server has them; what runs is heard of over the page's socket.

import { Store } from "../data/store.js";
import { live, onRevision } from "../data/live.js";
import { ask, askJson } from "../parts/server.js";

const TOGETHER_MS = 300; // changes that come at once are fetched at once
const CURVES_MS = 1000;

class TuningStore extends Store {
  datasets = null; // null until the first answer
  tunings = [];
  schemas = {}; // of the recipes, by task
  presets = [];
  checkpoints = [];
  benchmarks = [];
  chosen = ""; // id of the tuning that is looked at; empty is a new one
  points = {}; // curves by tuning
  #curvesDue = 0;
  #turn = 0;

  start() {
    this.chosen = new URLSearchParams(location.search).get("tuning") ?? "";
    onRevision("tuning_revision", TOGETHER_MS, () => this.fetch());
    live.addEventListener("state", () => this.#heard());
    ask("GET", "/v1/tunings/recipes").then((found) => {
      this.schemas = found?.schemas ?? {};
      this.presets = found?.presets ?? [];
      this.changed();
    });
    ask("GET", "/v1/checkpoints").then((found) => {
      this.checkpoints = (found?.checkpoints ?? []).filter(({ installed }) => installed);
      this.changed();
    });
    ask("GET", "/v1/benchmarks").then((found) => {
      this.benchmarks = found?.benchmarks ?? [];
      this.changed();
    });
  }

  async fetch() {
    const turn = ++this.#turn;
    const [datasets, tunings] = await Promise.all([ask("GET", "/v1/datasets"), ask("GET", "/v1/tunings")]);
    if (turn !== this.#turn || !datasets || !tunings) return;
    this.datasets = datasets.datasets;
    this.tunings = tunings.tunings;
    if (!this.shown) this.chosen = "";
    this.changed();
    this.#fetchCurves();
  }

  /** The tuning that is looked at, with its newest progress. */
  get shown() {
    const found = this.tunings.find(({ id }) => id === this.chosen);
    return found && { ...found, progress: this.progressOf(found) };
  }

  progressOf = ({ id, progress }) => live.state.system.tunings?.[id] ?? progress;

  choose(id) {
    this.chosen = id;
    const address = new URL(location.href);
    if (id) address.searchParams.set("tuning", id);
    else address.searchParams.delete("tuning");
    history.replaceState(history.state, "", address);
    this.changed();
    this.#fetchCurves();
  }

  /** Check a recipe, or start it at once; null where it is refused. */
  async begin(asked, checks) {
    const found = await askJson("POST", checks ? "/v1/tunings/check" : "/v1/tunings", asked);
    if (found) {
      this.tunings = [found, ...this.tunings];
      this.choose(found.id);
    }
    return found;
  }

  async act(id, verb, body) {
    const found = await askJson("POST", `/v1/tunings/${id}/${verb}`, body ?? {});
    await this.fetch();
    return found;
  }

  /** Captions for the videos of a data set; the one that gets them, or null where it is refused. */
  async caption(name, asked) {
    const found = await askJson("POST", `/v1/datasets/${encodeURIComponent(name)}/captions`, asked);
    await this.fetch();
    return found;
  }

  async stopCaptions(name) {
    await ask("DELETE", `/v1/datasets/${encodeURIComponent(name)}/captions`);
    return this.fetch();
  }

  async remove(id) {
    const shown = this.chosen === id;
    if (shown) this.choose(""); // its curves are asked for no more
    if (!(await ask("DELETE", `/v1/tunings/${id}`)) && shown) this.choose(id);
    return this.fetch();
  }

  #heard() {
    if (live.state.system.tunings?.[this.chosen]) {
      this.changed();
      this.#curvesDue ||= setTimeout(() => {
        this.#curvesDue = 0;
        this.#fetchCurves();
      }, CURVES_MS);
    }
  }

  async #fetchCurves() {
    const id = this.chosen;
    if (!id) return;
    const known = this.points[id] ?? [];
    const progress = this.shown?.progress;
    // One that was resumed goes through some steps again.
    const after = known.length && known.at(-1).step <= (progress?.step ?? 0) ? known.at(-1).step : 0;
    const found = await ask("GET", `/v1/tunings/${id}/curves?after=${after}`);
    if (!found) return;
    this.points[id] = [...known.filter(({ step }) => step <= after), ...found.points];
    this.changed();
  }
}

export const tuning = new TuningStore();
