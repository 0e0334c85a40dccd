// What the address asks for: `job` on the stage, `use` an artefact's settings, start `from` an artefact, an `adapter`.
// Then it is forgotten. Where it asks for nothing, the form opens with the preset that is its default.

import { toast } from "../parts/errors.js";
import { kind, say } from "../data/facts.js";
import { defaultPreset } from "../form/presets.js";
import { form } from "../form/values.js";
import { fieldFor, takes } from "../data/kinds.js";
import { live } from "../data/live.js";
import { mediaOf } from "../media/media_facts.js";
import { fill, handedOver, homeOf, load, useAgain } from "../parts/reuse.js";
import { selection } from "./selection.js";
import { startFromActions } from "./start_from_actions.js";
import { ask } from "../parts/server.js";

const asked = new URLSearchParams(location.search);

/** Start the form from an item; false where this page takes no such thing. */
export async function startFrom(item) {
  const field = fieldFor(kind, item.type);
  if (!field) return false;
  if (item.type === "actions") return startFromActions(item);
  const others = Object.entries(takes(kind))
    .filter(([name, { required }]) => name !== field && !required)
    .map(([name]) => name);
  fill({ ...Object.fromEntries(others.map((name) => [name, null])), [field]: item.id });
  return true;
}

// Which checkpoint is active is in the socket's first word.
function heard() {
  if (live.seq >= 0) return null;
  return new Promise((told) => {
    const look = () => {
      if (live.seq < 0) return;
      live.removeEventListener("state", look);
      told(null);
    };
    live.addEventListener("state", look);
  });
}

async function restore(id) {
  const found = await ask("GET", `/v1/library/${id}`);
  if (!found) return;
  if (!found.request) toast(say("link.no_recipe"), "", "bad");
  else if (homeOf(found.request)) useAgain(found.request, found.checkpoint);
}

async function begin() {
  const [from, use, adapter] = [asked.get("from"), asked.get("use"), asked.get("adapter")];
  const request = handedOver();
  if (request) fill({ ...request, seed_lock: true });
  else if (!from && !use && !adapter) {
    const preset = await defaultPreset();
    if (preset) load(preset.values);
  }
  if (use) {
    await heard();
    await restore(use);
  }
  if (from) {
    const item = await mediaOf(from);
    if (!item || !(await startFrom(item))) toast(say(item ? "link.not_here" : "link.gone"), "", "bad");
  }
  if (adapter) fill({ adapter: { name: adapter, scale: 1 } });
  if (from || use || adapter) {
    for (const name of ["from", "use", "adapter"]) asked.delete(name);
    history.replaceState(null, "", `${location.pathname}${asked.size ? `?${asked}` : ""}`);
  }
}

async function showJob(id) {
  if (!live.state.jobs[id]) {
    const job = await ask("GET", `/v1/jobs/${id}`);
    if (!job) return;
    live.state.jobs[id] = job;
    live.changed();
  }
  selection.pick(id);
}

// The form has been restored once it has said its values.
form.addEventListener("state", () => begin(), { once: true });
if (asked.has("job")) live.addEventListener("state", () => live.seq >= 0 && showJob(asked.get("job")), { once: true });
