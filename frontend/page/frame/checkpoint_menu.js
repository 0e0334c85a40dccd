// What opens below the header's checkpoint: every checkpoint that is here, how it is, and what can be done with it.

import { checkpoint as here, statusOf } from "../data/checkpoint.js";
import { kind, places, say } from "../data/facts.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { toast } from "../parts/errors.js";
import { IconButton } from "../parts/icons.js";
import { ask, useAnswer } from "../parts/server.js";
import { html } from "../vendor/preact.js";

const HELD = ["ready", "waiting", "preparing", "loading", "asleep"];

export function CheckpointMenu({ close }) {
  const { system } = seen(live).state;
  const states = Object.values(system.checkpoints ?? {}).map(({ id, state }) => `${id} ${state}`);
  const found = useAnswer("/v1/checkpoints", [system.checkpoint?.id, ...states].join());
  if (!found) return html`<p>${say("header.reading")}</p>`;
  const known = found.checkpoints.filter((entry) => entry.installed || entry.built_here);
  return html`
    <ul class="o-checkpoint-menu" role="list">
      ${known.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} system=${system} close=${close} />`)}
    </ul>
    <a class="o-row" href=${places.checkpoints.path}>${say("header.all_checkpoints")}</a>
  `;
}

function Entry({ entry, system, close }) {
  const { id, title } = entry;
  const isDefault = system.checkpoint?.id === id;
  const { state } = statusOf(system, id);
  const held = HELD.includes(state);
  const usedHere = seen(here).id === id;
  const makes = kind && entry.capabilities.kinds.includes(kind);
  const order = (path) => ask("POST", `/v1/checkpoints/${encodeURIComponent(id)}/${path}`);
  async function unload() {
    if (!(await order("unload"))) return;
    toast(say("header.unloaded_toast", { title }), "", "good", { words: say("did.undo"), act: () => order("load") });
  }
  function use() {
    document.dispatchEvent(new CustomEvent("o-use-checkpoint", { detail: isDefault ? null : id }));
    close();
  }
  const button = (name, icon, act) =>
    html`<${IconButton} icon=${icon} words=${say(`header.${name}`)} data-do=${name} onClick=${act} />`;
  return html`
    <li data-checkpoint=${id}>
      <span class="o-between">
        <b>${title}</b>
        <small>
          ${say(`header.${state}`)}${isDefault ? ` · ${say("header.default")}` : ""}${
            kind && usedHere ? ` · ${say("header.used_here")}` : ""
          }
        </small>
      </span>
      <span class="o-checkpoint-acts">
        ${makes && !usedHere && button("use_here", "check", use)}
        ${!isDefault && button("make_default", "star", () => order("default"))}
        ${held ? button("unload", "eject", unload) : button("load", "play", () => order("load"))}
      </span>
    </li>
  `;
}
