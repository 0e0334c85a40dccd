// The recorded runs: watched again, exported, marked by a person as worked or failed, and replayed.

import { say } from "../data/facts.js";
import { make, mark } from "../parts/nodes.js";
import { EpisodePlayer } from "./episode.js";
import { robot } from "./link.js";
import { exportAddress, listEpisodes } from "./recordings.js";
import { run } from "./run.js";

const FRAMES_PER_SECOND = 15;
const ASKED_EVERY_TICKS = 30;

export class EpisodeList {
  #found = null; // what the robot answered, or null before it did
  #asked = "";

  /** `changed` is called when there is something to paint. */
  constructor(changed) {
    this.changed = changed;
    this.player = new EpisodePlayer();
    this.node = make("div", { class: "o-episodes" });
  }

  forget() {
    this.#found = null;
    this.#asked = "";
    this.player.shut();
  }

  // Asked while the list is looked at, again when a run has begun or ended, and every two seconds besides: an episode
  // is written for a while after its run.
  paint() {
    const spell = Math.floor((robot.now.summary?.num_ticks ?? 0) / ASKED_EVERY_TICKS);
    const moment = `${robot.name} ${robot.engaged} ${robot.now.session?.epoch} ${spell}`;
    if (robot.now.connected && this.#asked !== moment) {
      this.#asked = moment;
      this.#ask();
    }
    const key = JSON.stringify([this.#found, run.episode, robot.mine]);
    if (this.node.dataset.key === key) return;
    this.node.dataset.key = key;
    const { episodes = [], num_judged: judged = 0 } = this.#found ?? {};
    if (!episodes.length) {
      this.node.replaceChildren(make("p", { class: "o-none" }, say("panel.episodes_empty")));
      return;
    }
    this.node.replaceChildren(
      make("p", {}, judged ? rate(this.#found) : "", exporting()),
      make("ul", {}, ...episodes.toReversed().map((episode) => this.#line(episode))),
    );
  }

  async #ask() {
    const name = robot.name;
    const found = await listEpisodes(name).catch(() => null); // what cannot be told now is asked again
    if (name === robot.name) this.#found = found ?? this.#found;
    this.changed();
  }

  async #mark(episode, success) {
    await robot.tell("mark", { episode: episode.index, success: episode.success === success ? null : success });
    this.#ask();
  }

  #watch(index) {
    this.player.open(robot.name, index);
  }

  #line(episode) {
    const { index, task, num_frames: frames, ended, success } = episode;
    const button = (name, pressed, act, anybody = false) => {
      const made = make(
        "button",
        { type: "button", class: "o-btn", disabled: !anybody && !robot.mine, on: { click: act } },
        say(`episode.${name}`),
      );
      if (pressed !== null) mark(made, "aria-pressed", String(pressed));
      return made;
    };
    return make(
      "li",
      {},
      make("b", {}, `${index}  ${task || say("episode.untold")}`),
      make("small", {}, say("episode.line", { seconds: (frames / FRAMES_PER_SECOND).toFixed(1), ended })),
      make(
        "span",
        {},
        button("watch", null, () => this.#watch(index), true),
        button("worked", success === true, () => this.#mark(episode, true)),
        button("failed", success === false, () => this.#mark(episode, false)),
        button("replay", run.episode === index, () => run.set({ mode: "replay", episode: index })),
      ),
    );
  }
}

// A link, so that the browser itself writes the file as it comes.
function exporting() {
  const attributes = {
    class: "o-btn",
    href: exportAddress(robot.name),
    download: "recordings.tar",
    title: say("episode.export_hint"),
  };
  return make("a", attributes, say("episode.export"));
}

function rate({ num_successes: successes, num_judged: judged, success_interval: [low, high] }) {
  const percent = (share) => Math.round(100 * share);
  return say("episode.rate", { successes, judged, low: percent(low), high: percent(high) });
}
