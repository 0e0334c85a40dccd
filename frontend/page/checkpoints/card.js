// One checkpoint: what it is, what it can do, where it stands, and what can be done with it.

import { counted, hasWords, kinds, say } from "../parts/facts.js";
import { faultWords } from "../parts/faults.js";
import { iconButton } from "../parts/icons.js";
import { acts, canMake } from "../parts/kinds.js";
import { make, mark, progressBar, show, write } from "../parts/nodes.js";
import { bytes } from "../parts/recipe.js";
import { ask } from "../parts/server.js";

const MOVING = ["waiting", "preparing", "loading", "leaving"];
const HELD = ["ready", "waiting", "preparing", "loading", "asleep"];
const SERVES = ["ready", "waiting", "preparing", "loading"];
const GB = 1e9;

export class CheckpointCard {
  constructor(entry) {
    this.id = entry.id;
    this.name = make("h2", {});
    this.badges = make("span", { class: "o-badges" });
    this.summary = make("p", {});
    this.facts = make("p", { class: "o-meta" });
    this.can = make("ul", { class: "o-can", role: "list", "aria-label": say("checkpoints.can") });
    this.fill = make("i");
    this.bar = progressBar(this.fill, { hidden: true });
    this.doing = make("span", { class: "o-num", role: "status" });
    const button = (name, icon, method, path, style = "o-btn") =>
      iconButton(icon, say(`checkpoints.${name}`), () => this.#order(method, path), { "data-do": name, class: style });
    this.load = button("load", "play", "POST", "load", "o-btn o-primary");
    this.unload = button("unload", "pause", "POST", "unload");
    this.sleep = button("sleep", "moon", "POST", "sleep");
    this.verify = button("verify", "check", "POST", "verify");
    this.pull = button("pull", "download", "POST", "pull");
    this.stop = button("stop", "close", "DELETE", "pull", "o-btn o-bad");
    this.buttons = [this.stop, this.verify, this.sleep, this.unload, this.pull, this.load];
    this.node = make(
      "article",
      { class: "o-card-plain o-checkpoint", "data-checkpoint": entry.id },
      make("header", {}, this.name, this.badges),
      this.summary,
      this.can,
      this.facts,
      this.bar,
      make("div", { class: "o-row-acts" }, this.doing, ...this.buttons),
    );
  }

  /**
   * `told` is what engines have of it, `errand` what is fetched or verified, or was last; `memory` where it would live;
   * `starts` the id of the one that serves after a restart.
   */
  paint(entry, { told, errand, memory, starts }) {
    const state = told?.state ?? entry.state;
    const active = entry.active ?? entry.loaded;
    const runs = errand?.state === "running" ? errand : null;
    mark(this.node, "data-state", state);
    mark(this.node, "data-active", active ? "true" : null);
    write(this.name, entry.title);
    write(this.summary, entry.summary);
    this.#list(this.badges, badgesOf(entry, state, active, memory, starts), ([words, tone]) =>
      make("span", { class: "o-badge", "data-tone": tone }, words),
    );
    this.#list(this.can, abilities(entry.capabilities), (words) => make("li", {}, words));
    write(this.facts, factsOf(entry, told?.detail || entry.detail));
    // What is built here is built when it is first loaded.
    const here = entry.installed || entry.built_here;
    const fits = !(memory && entry.needed_gb > memory.total_gb);
    show(this.load, here && fits && !(active && SERVES.includes(state)) && !MOVING.includes(state));
    write(
      this.load.lastChild,
      say(state === "ready" ? "checkpoints.serve" : state === "asleep" ? "checkpoints.wake" : "checkpoints.load"),
    );
    show(this.sleep, state === "ready");
    mark(this.sleep, "title", say("checkpoints.sleep_help"));
    show(this.unload, HELD.includes(state));
    show(this.verify, entry.installed && !runs);
    show(this.pull, !entry.installed && Boolean(entry.repository) && !runs);
    show(this.stop, runs?.what === "pull");
    for (const button of this.buttons) button.disabled = false;
    this.#paintProgress(state, runs, errand, told?.error ?? entry.error);
  }

  #paintProgress(state, runs, errand, error) {
    const share = runs?.total ? Math.min(runs.done / runs.total, 1) : null;
    show(this.bar, share !== null);
    if (share !== null) {
      mark(this.bar, "aria-label", say(`errand.${runs.what}`));
      mark(this.bar, "aria-valuenow", Math.round(share * 100));
      this.fill.style.width = `${share * 100}%`;
    }
    const moves = MOVING.includes(state) ? say(`header.${state}`) : "";
    const of = runs?.total ? say("errand.of", { done: bytes(runs.done), total: bytes(runs.total) }) : "";
    const came = errand && !runs ? errand.said || errand.error?.message : "";
    const wrong = state === "failed" ? faultWords(error) : "";
    mark(this.doing, "data-tone", wrong || errand?.state === "failed" ? "bad" : null);
    write(this.doing, [moves, runs ? say(`errand.${runs.what}`) : "", of, came, wrong].filter(Boolean).join(" · "));
  }

  #list(node, entries, draw) {
    const key = JSON.stringify(entries);
    if (node.dataset.key === key) return;
    node.dataset.key = key;
    node.replaceChildren(...entries.map(draw));
  }

  async #order(method, path) {
    for (const button of this.buttons) button.disabled = true;
    const taken = await ask(method, `/v1/checkpoints/${encodeURIComponent(this.id)}/${path}`);
    if (!taken) for (const button of this.buttons) button.disabled = false;
  }
}

function badgesOf(entry, state, active, memory, starts) {
  const needs = memory && state !== "ready" ? (entry.needed_gb ?? 0) : 0;
  return [
    state === "ready" ? [say(active ? "checkpoints.serving" : "checkpoints.warm"), "good"] : null,
    state === "failed" || state === "lost" ? [say(`header.${state}`), "bad"] : null,
    state === "asleep" ? [say("header.asleep"), ""] : null,
    state === "ready"
      ? null
      : [
          say(
            entry.installed ? "checkpoints.installed" : entry.built_here ? "checkpoints.builds" : "checkpoints.absent",
          ),
          "",
        ],
    starts === entry.id && !active ? [say("checkpoints.starts"), ""] : null,
    memory && needs > memory.total_gb ? [say("checkpoints.too_large"), "warn"] : null,
    memory && needs > (memory.spare_gb ?? memory.free_gb) && needs <= memory.total_gb
      ? [say("checkpoints.crowded"), ""]
      : null,
    entry.random_weights ? [say("checkpoints.random"), "warn"] : null,
    entry.ships && entry.installed && !entry.variant_of ? [say("checkpoints.ships"), ""] : null,
  ].filter(Boolean);
}

function factsOf(entry, detail) {
  return [
    entry.revision ? `${entry.repository}@${entry.revision}` : entry.repository,
    entry.variant_of ? say("checkpoints.variant", { of: entry.variant_of }) : "",
    entry.precision === "fp8" ? say("checkpoints.fp8") : "",
    detail,
    entry.weights_gb ? say("checkpoints.weights", { size: bytes(entry.weights_gb * GB) }) : "",
    entry.disk_gb ? say("checkpoints.disk", { size: bytes(entry.disk_gb * GB) }) : "",
    entry.needed_gb ? say("checkpoints.needs", { size: bytes(entry.needed_gb * GB) }) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What it can do, in words. */
function abilities(can) {
  const tiers = (list) => (list.length > 1 ? `${list[0]}–${list.at(-1)}p` : `${list[0]}p`);
  const made = Object.keys(kinds).filter((kind) => can.kinds.includes(kind));
  const sizes = (kind) => tiers(canMake(kind, "image") ? can.resolutions : can.video_resolutions);
  return [
    ...made.flatMap((kind) => [
      hasWords(`can.${kind}`)
        ? say(`can.${kind}`, { tiers: sizes(kind), frames: can.num_frames[1] })
        : say(`kind.${kind}`),
      can.sound && canMake(kind, "sound") ? say("can.sound") : "",
    ]),
    made.some(acts)
      ? can.embodiments.length === 1
        ? can.embodiments[0]
        : say("can.bodies", { count: can.embodiments.length })
      : "",
    can.distilled_steps ? counted("can.distilled", can.distilled_steps) : "",
  ].filter(Boolean);
}
