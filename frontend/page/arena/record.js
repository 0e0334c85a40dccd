// The votes that were cast, newest first; each can be taken back, all can be taken along.

import { arena, fieldName } from "./store.js";
import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Icon, IconButton } from "../parts/icons.js";
import { ask } from "../parts/server.js";
import { html } from "../vendor/preact.js";

export function Record() {
  const { votes, total } = seen(arena);
  const link = (form) => html`
    <a class="o-btn" href=${`/v1/arena/votes/export?format=${form}`} download=${`orrery-votes.${form}`}>
      <${Icon} name="download" /><span>${form.toUpperCase()}</span>
    </a>
  `;
  return html`
    <o-arena-record>
      ${
        total > 0 &&
        html`
          <section class="o-card-plain o-arena-section">
            <div class="o-between">
              <h2>${say("record.title", { total: total.toLocaleString() })}</h2>
              <div class="o-arena-acts">${["csv", "json"].map(link)}</div>
            </div>
            <ul class="o-votes" role="list">${votes.map((vote) => html`<${Vote} key=${vote.id} ...${vote} />`)}</ul>
          </section>
        `
      }
    </o-arena-record>
  `;
}

function Vote({ id, contest, left, right, choices, voter, by, created_at: at, reason }) {
  const when = new Date(at).toLocaleString();
  const said = Object.entries(choices).map(([axis, choice]) =>
    say("record.choice", {
      axis: say(`axis.${axis}`),
      value: { left: left.value, right: right.value }[choice] ?? say(`choice.${choice}`),
    }),
  );
  async function revoke() {
    if (await ask("DELETE", `/v1/arena/votes/${id}`)) arena.ask();
  }
  return html`
    <li data-vote=${id} title=${reason || null}>
      <div>
        <b>${say("record.sides", { left: left.value, right: right.value })}</b>
        <small>
          ${say(by === "reasoner" ? "record.by_reasoner" : "record.by", { field: fieldName(contest), voter, when })}
        </small>
        <span>${said.join(" · ")}</span>
      </div>
      <${IconButton} icon="restore" words=${say("arena.take_back")} quiet data-do="revoke" onClick=${revoke} />
    </li>
  `;
}
