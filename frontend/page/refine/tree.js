// The tree: rounds from left to right, a line for each chain, and a branch below what it leads on from.

import { say } from "../data/facts.js";
import { percent } from "../data/jobs.js";
import { live } from "../data/live.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { refining } from "./store.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";

const STEP = { x: 150, y: 158 }; // from card to card; the style sheet has the same
const CARD = { width: 126, height: 142 };
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function RefineTree({ tree: { nodes, best }, chosen, jobs }) {
  const places = placesOf(nodes);
  const width = Math.max(...places.map(({ x }) => x)) * STEP.x + CARD.width;
  const height = Math.max(...places.map(({ y }) => y)) * STEP.y + CARD.height;

  function move(event) {
    const step = KEYS[event.key];
    const from = places[Number(event.target.closest("[data-node]")?.dataset.node)];
    if (!step || !from) return;
    event.preventDefault();
    event.stopPropagation(); // the clip beside it is not stepped
    // The nearest card in that direction.
    const ahead = places
      .map((place, index) => ({
        index,
        along: (place.x - from.x) * step[0] + (place.y - from.y) * step[1],
        off: Math.abs((place.x - from.x) * step[1]) + Math.abs((place.y - from.y) * step[0]),
      }))
      .filter(({ along }) => along > 0)
      .sort((a, b) => a.along + 2 * a.off - (b.along + 2 * b.off));
    event.currentTarget.querySelector(`[data-node="${ahead[0]?.index}"]`)?.focus();
  }

  return html`
    <div class="o-tree" role="group" aria-label=${say("refine.tree")}>
      <div class="o-tree-field" style=${{ width: `${width}px`, height: `${height}px` }}>
        <svg aria-hidden="true" viewBox=${`0 0 ${width} ${height}`}>
          ${nodes
            .filter(({ parent }) => parent !== null)
            .map(
              ({ parent, number, origin }) =>
                html`<path d=${lineBetween(places[parent], places[number])} data-origin=${origin} />`,
            )}
        </svg>
        <ul role="list" onKeyDown=${move}>
          ${nodes.map(
            (node, index) => html`
              <li
                key=${node.number}
                style=${{ translate: `${places[index].x * STEP.x}px ${places[index].y * STEP.y}px` }}
              >
                <${Card}
                  node=${node}
                  job=${jobs[node.job_id]}
                  chosen=${node.number === chosen?.number}
                  best=${node.number === best?.node}
                />
              </li>
            `,
          )}
        </ul>
      </div>
    </div>
  `;
}

/** Column and row of each node: its round, and its chain's line; a branch has a line of its own. */
export function placesOf(nodes) {
  const places = [];
  let rows = 0;
  for (const node of nodes) {
    const goesOn = node.parent !== null && node.origin !== "branched";
    places.push({ x: node.round, y: goesOn ? places[node.parent].y : rows });
    if (!goesOn) rows += 1;
  }
  return places;
}

function Card({ node, job, chosen, best }) {
  const stage = stageOf(node);
  const score = node.critique?.overall_score.toFixed(1);
  const generates = stage === "generating" && job;
  const doing = generates ? say(`state.${job.state}`) : say(`stage_of.${stage}`);
  const thumbnail = node.media?.thumbnail_url;
  const label = [
    say("refine.result", { number: node.number }),
    score && say("refine.score", { score }),
    best ? say("refine.best") : doing,
  ];
  return html`
    <button
      type="button"
      data-node=${node.number}
      data-stage=${stage}
      data-best=${best ? "true" : null}
      aria-pressed=${String(chosen)}
      aria-label=${label.filter(Boolean).join(", ")}
      onClick=${() => refining.choose(node.number)}
    >
      <span class="o-tree-picture">
        ${
          thumbnail
            ? html`<img loading="lazy" alt="" src=${thumbnail} />`
            : node.job_id && html`<${Preview} key=${node.job_id} job=${node.job_id} />`
        }
      </span>
      <span class="o-tree-line">
        <b class="o-tree-score">${score}</b>
        <span class="o-tree-words">
          ${best ? say("refine.best") : stage === "done" ? say(`origin.${node.origin}`) : doing}
        </span>
      </span>
      <span class="o-tree-bar"><i style=${{ width: generates ? `${percent(job)}%` : "0" }} /></span>
    </button>
  `;
}

/** What a job has so far. */
function Preview({ job }) {
  const canvas = useRef(null);
  const drawn = useSignal(false);
  useEffect(() => {
    const topic = `preview/${job}`;
    const preview = new PictureCanvas(canvas.current, () => {
      drawn.value = true;
    });
    const hear = ({ detail }) => detail.topic === topic && preview.show(detail.image);
    const unwant = live.want(topic);
    live.addEventListener("frame", hear);
    return () => {
      unwant();
      live.removeEventListener("frame", hear);
    };
  }, []);
  return html`
    <canvas ref=${canvas} role="img" aria-label=${say("stage.preview")} width="8" height="8" hidden=${!drawn.value} />
  `;
}

/** What is done about a node, or why nothing is; as the server says it. */
export function stageOf(node) {
  if (node.skipped) return "skipped";
  if (node.critique) return "done";
  if (node.error) return "failed";
  return !node.request ? "writing" : !node.media ? "generating" : "judging";
}

function lineBetween(from, to) {
  const start = [from.x * STEP.x + CARD.width, from.y * STEP.y + 52];
  const end = [to.x * STEP.x, to.y * STEP.y + 52];
  const bend = (end[0] - start[0]) / 2;
  return `M${start} C${start[0] + bend},${start[1]} ${end[0] - bend},${end[1]} ${end}`;
}
