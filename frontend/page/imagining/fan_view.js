// A fan: the hand's way of each branch in the picture, what each foresees under one playhead, and their ranking.

import "../playhead/part.js";
import { say } from "../data/facts.js";
import { colourOf } from "../media/actions_chart.js";
import { cellOf } from "../playhead/cells.js";
import { html } from "../vendor/preact.js";

const ACROSS = 4; // clips in a row

/** `choice(branch, number)` is what stands at the end of a branch's line: a button, or nothing. */
export function FanView({ fan, choice = (_branch, _number) => null }) {
  const { branches, ranking, request } = fan;
  const order = ranking.length ? ranking : branches.map((_, number) => number);
  const drawn = order.filter((number) => branches[number].video);
  const cells = drawn.map((number, place) =>
    cellOf(branches[number].video, {
      row: Math.floor(place / ACROSS),
      column: place % ACROSS,
      label: say("fan.number", { number: number + 1 }),
    }),
  );
  const hasPaths = branches.some(({ paths }) => paths.length);
  return html`
    <div class="o-fan" data-state=${fan.state} data-ranked=${ranking.length ? "" : null}>
      <p role="status">${standing(fan)}</p>
      ${hasPaths && html`<${Paths} image=${request.start_image} branches=${branches} />`}
      ${cells.length > 0 && html`<o-playhead grid=${{ columns: [], cells }} />`}
      <div class="o-fan-table" tabindex="0">
        <table aria-label=${say("fan.table")}>
          <thead>
            <tr>
              <th scope="col">${say("fan.branch")}</th>
              <th scope="col">${say("fan.score")}</th>
              <th scope="col">${say(request.instructions.length ? "fan.instruction" : "fan.seed")}</th>
              <th scope="col">${say("fan.reason")}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            ${order.map((number) => {
              const branch = branches[number];
              return html`<tr key=${number} data-branch=${number}>
                <th scope="row"><i style=${{ background: colourOf(number) }} />${number + 1}</th>
                <td>${branch.score ?? "–"}</td>
                <td>${request.instructions.length ? branch.prompt : branch.seed}</td>
                <td>${branch.reason}</td>
                <td>${choice(branch, number)}</td>
              </tr>`;
            })}
          </tbody>
        </table>
      </div>
    </div>
  `;
}

/** Paths are in pixels of a canvas of 640 x 540, which the picture is. */
function Paths({ image, branches }) {
  const line = (points) => points.map((point) => point.join(",")).join(" ");
  return html`
    <figure class="o-fan-picture">
      <img src=${`/v1/media/${image}`} alt="" />
      <svg viewBox="0 0 640 540" role="img" aria-label=${say("fan.picture")}>
        ${branches.map(({ paths }, number) =>
          paths
            .filter(({ length }) => length)
            .map(
              (points) => html`<g stroke=${colourOf(number)} fill=${colourOf(number)}>
                <title>${say("fan.number", { number: number + 1 })}</title>
                <polyline points=${line(points)} fill="none" stroke-width="2.5" />
                <circle cx=${points.at(-1)[0]} cy=${points.at(-1)[1]} r="4" />
              </g>`,
            ),
        )}
      </svg>
    </figure>
  `;
}

function standing({ state, error, unranked, branches, ranking, request }) {
  const count = branches.length;
  const planned = branches.filter(({ video }) => video).length;
  if (state === "failed") return say("fan.failed", { reason: error.message });
  if (state === "cancelled") return say("fan.cancelled");
  if (planned < count) return say("fan.planning", { planned, count });
  if (unranked) return say("fan.unranked", { reason: unranked.message });
  if (ranking.length) return say("fan.ranked", { prompt: request.prompt });
  return say("fan.ranking", { scored: branches.filter(({ score }) => score !== null).length, count });
}
