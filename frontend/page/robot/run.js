// What the next run will be, as this browser keeps it.

const KEPT = "orrery.robot.run";
const DEFAULTS = { prompt: "", mode: "live", horizon: 16, speed: 0.3, record: false };

function kept() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage[KEPT]) };
  } catch {
    return DEFAULTS; // nothing kept, or not by us
  }
}

class NextRun extends EventTarget {
  #values = kept();
  episode = null; // the recorded one that a replay plays; of this visit only

  get prompt() {
    return this.#values.prompt;
  }

  get mode() {
    return this.#values.mode;
  }

  get horizon() {
    return this.#values.horizon;
  }

  get speed() {
    return this.#values.speed;
  }

  get record() {
    return this.#values.record;
  }

  set(values) {
    const { episode = this.episode, ...others } = values;
    this.episode = episode;
    this.#values = { ...this.#values, ...others };
    localStorage[KEPT] = JSON.stringify(this.#values);
    this.dispatchEvent(new Event("state"));
  }

  /** The `run` of an order to start. */
  toJson() {
    return { ...this.#values, episode: this.mode === "replay" ? this.episode : null };
  }
}

export const run = new NextRun();
