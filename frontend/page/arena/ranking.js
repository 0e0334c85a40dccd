// The ranking: one table at a time, chosen by what was compared, whose votes count, the axis and the domain. Each row
// has its place, its rating with the interval as a bar on one scale, and its record.

import { Judging } from "./judging.js";
import { Record } from "./record.js";
import { arena, fieldName } from "./store.js";
import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const VOTERS = ["person", "reasoner", "everybody"].map((name) => [name, say(`voters.${name}`)]);
const KINDS = ["", "image", "video", "answer"].map((name) => [name, say(`kinds.${name || "all"}`)]);
const COLUMNS = ["rank", "contestant", "rating", "interval", "record"];
const MARGIN = 40; // points beyond the outermost interval

const percent = (share) => `${Math.round(100 * share)} %`;

export function ArenaRanking({ opened }) {
  const wantedAxis = useSignal("overall");
  const wantedDomain = useSignal("");
  const { standings } = seen(arena);
  useEffect(() => {
    if (opened) arena.ask();
  }, [opened]);
  if (!standings) return null;
  const { contests, tables, num_votes: votes, num_voters: voters } = standings;
  const domains = [...new Set(tables.map(({ domain }) => domain))];
  const domain = domains.includes(wantedDomain.value) ? wantedDomain.value : "";
  const axes = [...new Set(tables.map(({ axis }) => axis))];
  const axis = axes.includes(wantedAxis.value) ? wantedAxis.value : axes.at(-1);
  const table = tables.find((one) => one.axis === axis && one.domain === domain);

  const select = (name, options, value, act) => html`
    <select
      class="o-select"
      data-field=${name}
      aria-label=${say(`ranking.by_${name}`)}
      value=${value}
      onChange=${(event) => act(event.currentTarget.value)}
    >
      ${options.map(([option, words]) => html`<option key=${option} value=${option}>${words}</option>`)}
    </select>
  `;
  const ofContests = contests.map(({ name, num_votes: num }) => [name, `${fieldName(name)} · ${num}`]);
  const ofDomains = domains.map((name) => [name, say(`domain.${name || "all"}`)]);
  return html`
    <o-arena-ranking data-votes=${votes}>
      <div class="o-arena-line">
        ${contests.length > 0 && select("contest", ofContests, standings.contest, (contest) => arena.choose({ contest }))}
        ${select("voters", VOTERS, standings.voters, (chosen) => arena.choose({ voters: chosen }))}
        ${select("kind", KINDS, arena.view.kind, (kind) => arena.choose({ kind }))}
        ${domains.length > 1 && select("domain", ofDomains, domain, (name) => (wantedDomain.value = name))}
        <span class="o-count" role="status">
          ${votes ? [counted("ranking.votes", votes), counted("ranking.voters", voters)].join(" · ") : ""}
        </span>
      </div>
      <section class="o-card-plain o-arena-section">
        <h2>${say("ranking.title")}</h2>
        <div class="o-chip-group" role="group" aria-label=${say("ranking.axis")}>
          ${axes.map(
            (name) => html`
              <button
                key=${name}
                type="button"
                class="o-chip"
                data-axis=${name}
                aria-pressed=${String(name === axis)}
                onClick=${() => (wantedAxis.value = name)}
              >
                ${say(`axis.${name}`)}
              </button>
            `,
          )}
        </div>
        ${!table && html`<p class="o-hint">${say("ranking.none")}</p>`}
        <div class="o-arena-table" role="region" tabindex="0" aria-label=${say("ranking.title")}>
          ${table && html`<${Table} rows=${table.rows} minVotes=${standings.min_votes} />`}
        </div>
        <p class="o-hint">${say("ranking.hint")}</p>
      </section>
      <${Agreement} axis=${axis} found=${standings.agreement.filter((one) => one.axis === axis)} />
      <${Judging} />
      <${Record} />
    </o-arena-ranking>
  `;
}

function Table({ rows, minVotes }) {
  const rated = rows.filter(({ rating }) => rating !== null);
  const from = Math.min(...rated.map(({ low }) => low)) - MARGIN;
  const to = Math.max(...rated.map(({ high }) => high)) + MARGIN;
  const place = (points) => `${(100 * (points - from)) / (to - from)}%`;
  return html`
    <table class="o-standings">
      <thead>
        <tr>
          ${COLUMNS.map((name) => html`<th scope="col" data-column=${name}>${say(`column.${name}`)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => html`<${Row} key=${row.contestant} ...${row} place=${place} minVotes=${minVotes} />`)}
      </tbody>
    </table>
  `;
}

function Row({ contestant, rating, low, high, rank, num_votes: votes, wins, losses, ties, bad, why, place, minVotes }) {
  const few = () =>
    why === "few_votes" ? say("ranking.few_votes", { votes, least: minVotes }) : say("ranking.never_met");
  return html`
    <tr data-contestant=${contestant} data-why=${rating === null ? why : null}>
      <td class=${rating === null ? null : "o-num"}>${rating === null ? "–" : rank}</td>
      <th scope="row">${contestant}</th>
      ${
        rating === null
          ? html`<td colspan="2" class="o-few">${few()}</td>`
          : html`
            <td class="o-num o-rating">${Math.round(rating)}</td>
            <td class="o-interval-cell">
              <span class="o-interval" aria-hidden="true">
                <i style=${{ left: place(low), right: `calc(100% - ${place(high)})` }} />
                <b style=${{ left: place(rating) }} />
              </span>
              <span class="o-num">
                ${say("ranking.interval", { low: Math.round(low), high: Math.round(high) })}
              </span>
            </td>
          `
      }
      <td class="o-num">${say("ranking.record", { wins, losses, ties, bad })}</td>
    </tr>
  `;
}

const Agreement = ({ axis, found }) => html`
  <section class="o-card-plain o-arena-section">
    <h2>${say("agree.title", { axis: axis ? say(`axis.${axis}`) : "" })}</h2>
    ${
      found.length
        ? html`<ul class="o-agreement">
          ${found.map(
            ({ voter, num_pairs: pairs, share, low, high }) => html`
              <li key=${voter} data-voter=${voter || "people"}>
                <span>${voter ? say("agree.with_people", { voter }) : say("agree.among_people")}</span>
                <b class="o-num">${percent(share)}</b>
                <small class="o-num">
                  ${counted("agree.interval", pairs, { low: percent(low), high: percent(high) })}
                </small>
              </li>
            `,
          )}
        </ul>`
        : html`<p class="o-hint">${say("agree.none")}</p>`
    }
  </section>
`;
