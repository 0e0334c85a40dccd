// Checkpoints: what is installed, what fits, what is in memory; load, unload, verify, fetch.

import { CheckpointCard } from "./card.js";
import { Machine } from "./machine.js";
import { define } from "../parts/element.js";
import { say } from "../data/facts.js";
import { live } from "../data/live.js";
import { bytes } from "../data/recipe.js";
import { ask } from "../parts/server.js";
import { seen } from "../data/store.js";
import { Meter } from "../parts/progress_bar.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const GB = 1e9;

// What serves comes first, then what is warm or sleeps, what is here or is built here at once, what must be fetched
// first; each in the order that the server has them.
const rank = ({ active, loaded, state, installed, repository }) =>
  active ? 0 : loaded || state === "asleep" ? 1 : installed || !repository ? 2 : 3;

function Checkpoints() {
  const found = useSignal(null); // as GET /v1/checkpoints answered
  const { system } = seen(live).state;

  // Asked again whenever a state changes; how far something is comes over the socket alone.
  const stateOf = (entries) => Object.entries(entries ?? {}).map(([id, { what, state }]) => [id, what, state]);
  const { id, state } = system.checkpoint ?? {};
  const now = live.seq >= 0 && JSON.stringify([id, state, stateOf(system.checkpoints), stateOf(system.errands)]);
  useEffect(() => {
    if (!now) return;
    ask("GET", "/v1/checkpoints").then((answer) => {
      if (answer) found.value = answer;
    });
  }, [now]);

  if (!found.value) return null;
  const { checkpoints, memory, starts_with: starts } = found.value;
  const active = checkpoints.find((entry) => entry.active);
  const told = checkpoints.find((entry) => entry.id === starts);
  return html`
    ${memory && html`<${Memory} ...${memory} />`}
    ${
      told &&
      active &&
      html`<p class="o-hint">
        ${say(told === active ? "checkpoints.stays" : "checkpoints.told", { title: told.title })}
      </p>`
    }
    <div class="o-checkpoints">
      ${checkpoints
        .toSorted((a, b) => rank(a) - rank(b))
        .map(
          (entry) => html`<${CheckpointCard}
            key=${entry.id}
            entry=${entry}
            told=${system.checkpoints?.[entry.id]}
            errand=${system.errands?.[entry.id]}
            memory=${memory}
            starts=${starts}
          />`,
        )}
    </div>
    <${Machine} />
  `;
}

function Memory({ place, total_gb: total, free_gb: free }) {
  const share = (total - free) / (total || 1);
  const used = say(`checkpoints.used_${place}`, { used: bytes((total - free) * GB), total: bytes(total * GB) });
  return html`
    <div class="o-card-plain o-device">
      <div class="o-between">
        <b role="status">${used}</b>
        <span class="o-hint">${say("checkpoints.free", { size: bytes(free * GB) })}</span>
      </div>
      <${Meter} share=${share} aria-label=${say("checkpoints.memory")} />
    </div>
  `;
}

define("o-checkpoints", Checkpoints);
