// One checkpoint: what it is, what it can do, where it stands, and what can be done with it.

import { counted, embodimentName, hasWords, kinds, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { IconButton } from "../parts/icons.js";
import { acts, canMake } from "../data/kinds.js";
import { ProgressBar } from "../parts/progress_bar.js";
import { bytes } from "../data/recipe.js";
import { ask } from "../parts/server.js";
import { html, useSignal } from "../vendor/preact.js";

const MOVING = ["waiting", "preparing", "loading", "leaving"];
const HELD = ["ready", "waiting", "preparing", "loading", "asleep"];
const SERVES = ["ready", "waiting", "preparing", "loading"];
const GB = 1e9;

/**
 * `told` is what engines have of it, `errand` what is fetched or verified, or was last; `memory` where it would live;
 * `starts` the id of the one that serves after a restart.
 */
export function CheckpointCard({ entry, told, errand, memory, starts }) {
  const ordering = useSignal(false);
  const state = told?.state ?? entry.state;
  const active = entry.active ?? entry.loaded;
  const runs = errand?.state === "running" ? errand : null;
  // What is built here is built when it is first loaded.
  const here = entry.installed || entry.built_here;
  const fits = !(memory && entry.needed_gb > memory.total_gb);

  async function order(method, path) {
    ordering.value = true;
    await ask(method, `/v1/checkpoints/${encodeURIComponent(entry.id)}/${path}`);
    ordering.value = false;
  }
  const button = (visible, name, icon, method, path, more = {}) =>
    visible &&
    html`<${IconButton}
      icon=${icon}
      words=${say(`checkpoints.${name}`)}
      data-do=${path === "load" ? "load" : name}
      disabled=${ordering.value}
      onClick=${() => order(method, path)}
      ...${more}
    />`;

  return html`
    <article
      class="o-card-plain o-checkpoint"
      data-checkpoint=${entry.id}
      data-state=${state}
      data-active=${active ? "true" : null}
    >
      <header>
        <h2>${entry.title}</h2>
        <span class="o-badges">
          ${badgesOf(entry, state, active, memory, starts).map(
            ([words, tone]) => html`<span class="o-badge" data-tone=${tone}>${words}</span>`,
          )}
        </span>
      </header>
      <p>
        ${entry.summary}
        ${
          entry.lineage &&
          html` <a href=${`/tune?tuning=${entry.lineage.tuning}`}>
            ${say("checkpoints.tuned", { name: entry.lineage.recipe.name, step: entry.lineage.step })}
          </a>`
        }
      </p>
      <ul class="o-can" role="list" aria-label=${say("checkpoints.can")}>
        ${abilities(entry.capabilities).map((words) => html`<li>${words}</li>`)}
      </ul>
      <p class="o-meta">${factsOf(entry, told?.detail || entry.detail)}</p>
      ${
        runs?.total &&
        html`<${ProgressBar}
          percent=${Math.round(100 * Math.min(runs.done / runs.total, 1))}
          aria-label=${say(`errand.${runs.what}`)}
        />`
      }
      <div class="o-acts">
        <${Doing} ...${{ state, runs, errand, error: told?.error ?? entry.error }} />
        ${button(runs?.what === "pull", "stop", "close", "DELETE", "pull", { class: "o-bad" })}
        ${button(entry.installed && !runs, "verify", "check", "POST", "verify")}
        ${button(state === "ready", "sleep", "moon", "POST", "sleep", { title: say("checkpoints.sleep_help") })}
        ${button(HELD.includes(state), "unload", "pause", "POST", "unload")}
        ${button(!entry.installed && entry.repository && !runs, "pull", "download", "POST", "pull")}
        ${button(here && fits && !active, "serve", "star", "POST", "default")}
        ${button(
          here && fits && !SERVES.includes(state) && !MOVING.includes(state),
          state === "asleep" ? "wake" : "load",
          "play",
          "POST",
          "load",
          { class: "o-primary" },
        )}
      </div>
    </article>
  `;
}

/** What goes on with it, or went wrong. */
function Doing({ state, runs, errand, error }) {
  const wrong = state === "failed" ? faultWords(error) : "";
  const words = [
    MOVING.includes(state) ? say(`header.${state}`) : "",
    runs ? say(`errand.${runs.what}`) : "",
    runs?.total ? say("errand.of", { done: bytes(runs.done), total: bytes(runs.total) }) : "",
    errand && !runs ? errand.said || errand.error?.message : "",
    wrong,
  ];
  const tone = wrong || errand?.state === "failed" ? "bad" : null;
  return html`<span class="o-num" role="status" data-tone=${tone}>${words.filter(Boolean).join(" · ")}</span>`;
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
    entry.precision?.startsWith("fp8") ? say(`checkpoints.${entry.precision}`) : "",
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
        ? embodimentName(can.embodiments[0])
        : say("can.bodies", { count: can.embodiments.length })
      : "",
    can.distilled_steps ? counted("can.distilled", can.distilled_steps) : "",
  ].filter(Boolean);
}
