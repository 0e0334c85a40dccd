// The tree: rounds from left to right, a line for each chain, and a branch below what it leads on from.

import { say } from "../data/facts.js";
import { percent } from "../data/jobs.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { refining } from "./store.js";

const SVG = "http://www.w3.org/2000/svg";
const STEP = { x: 150, y: 158 }; // from card to card; the style sheet has the same
const CARD = { width: 126, height: 142 };
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class RefineTree {
  #cards = [];
  #places = [];
  #of = null;

  constructor() {
    this.lines = document.createElementNS(SVG, "svg");
    this.lines.setAttribute("aria-hidden", "true");
    this.list = make("ul", { role: "list" });
    this.field = make("div", { class: "o-tree-field" }, this.lines, this.list);
    this.node = make("div", { class: "o-tree", role: "group", "aria-label": say("refine.tree") }, this.field);
    this.list.addEventListener("keydown", (event) => this.#move(event));
    live.addEventListener("frame", ({ detail }) => this.#cards.forEach((card) => card.hear(detail)));
  }

  paint(tree, chosen, { jobs }) {
    if (this.#of !== tree.id) {
      this.leave();
      this.#of = tree.id;
    }
    this.#places = placesOf(tree.nodes);
    tree.nodes.forEach((node, index) => {
      this.#cards[index] ??= this.#card(node.number);
      const card = this.#cards[index];
      const { x, y } = this.#places[index];
      card.item.style.translate = `${x * STEP.x}px ${y * STEP.y}px`;
      card.paint(node, jobs[node.job_id], {
        chosen: node.number === chosen?.number,
        best: node.number === tree.best?.node,
      });
    });
    const columns = Math.max(...this.#places.map(({ x }) => x)) + 1;
    const rows = Math.max(...this.#places.map(({ y }) => y)) + 1;
    const [width, height] = [(columns - 1) * STEP.x + CARD.width, (rows - 1) * STEP.y + CARD.height];
    Object.assign(this.field.style, { width: `${width}px`, height: `${height}px` });
    this.lines.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const paths = tree.nodes
      .filter((node) => node.parent !== null)
      .map((node) => line(this.#places[node.parent], this.#places[node.number], node.origin));
    this.lines.replaceChildren(...paths);
  }

  /** No tree is shown. */
  leave() {
    this.#cards.forEach((card) => card.end());
    this.#cards = [];
    this.#of = null;
    this.list.replaceChildren();
  }

  #card(number) {
    const card = new Card(number);
    this.list.append(card.item);
    return card;
  }

  #move(event) {
    const step = KEYS[event.key];
    const from = this.#places[Number(event.target.closest("[data-node]")?.dataset.node)];
    if (!step || !from) return;
    event.preventDefault();
    event.stopPropagation(); // the clip beside it is not stepped
    // The nearest card in that direction.
    const ahead = this.#places
      .map((place, index) => ({
        index,
        along: (place.x - from.x) * step[0] + (place.y - from.y) * step[1],
        off: Math.abs((place.x - from.x) * step[1]) + Math.abs((place.y - from.y) * step[0]),
      }))
      .filter(({ along }) => along > 0)
      .sort((a, b) => a.along + 2 * a.off - (b.along + 2 * b.off));
    this.#cards[ahead[0]?.index]?.button.focus();
  }
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

class Card {
  #job = null;
  #unwant = null;

  constructor(number) {
    this.image = make("img", { alt: "", loading: "lazy", hidden: true });
    this.canvas = make("canvas", {
      role: "img",
      "aria-label": say("stage.preview"),
      width: 8,
      height: 8,
      hidden: true,
    });
    this.preview = new PictureCanvas(this.canvas, () => show(this.canvas, this.image.hidden));
    this.score = make("b", { class: "o-tree-score" });
    this.words = make("span", { class: "o-tree-words" });
    this.bar = make("i", {});
    this.button = make(
      "button",
      { type: "button", "data-node": number, on: { click: () => refining.choose(number) } },
      make("span", { class: "o-tree-picture" }, this.image, this.canvas),
      make("span", { class: "o-tree-line" }, this.score, this.words),
      make("span", { class: "o-tree-bar" }, this.bar),
    );
    this.item = make("li", {}, this.button);
  }

  paint(node, job, { chosen, best }) {
    mark(this.button, "data-stage", stageOf(node));
    mark(this.button, "data-best", best ? "true" : null);
    mark(this.button, "aria-pressed", String(chosen));
    const stage = stageOf(node);
    const score = node.critique ? node.critique.overall_score.toFixed(1) : "";
    write(this.score, score);
    const doing = stage === "generating" && job ? say(`state.${job.state}`) : say(`stage_of.${stage}`);
    write(this.words, best ? say("refine.best") : stage === "done" ? say(`origin.${node.origin}`) : doing);
    mark(
      this.button,
      "aria-label",
      [
        say("refine.result", { number: node.number }),
        score && say("refine.score", { score }),
        best ? say("refine.best") : doing,
      ]
        .filter(Boolean)
        .join(", "),
    );
    const thumbnail = node.media?.thumbnail_url ?? null;
    mark(this.image, "src", thumbnail);
    show(this.image, Boolean(thumbnail));
    if (thumbnail) show(this.canvas, false);
    this.bar.style.width = stage === "generating" && job ? `${percent(job)}%` : "0";
    this.#look(stage === "generating" ? node.job_id : null);
  }

  hear({ topic, image }) {
    if (this.#job && topic === `preview/${this.#job}`) this.preview.show(image);
  }

  end() {
    this.#look(null);
  }

  #look(job) {
    if (job === this.#job) return;
    this.#unwant?.();
    this.#job = job;
    this.#unwant = job ? live.want(`preview/${job}`) : null;
  }
}

/** What is done about a node, or why nothing is; as the server says it. */
export function stageOf(node) {
  if (node.skipped) return "skipped";
  if (node.critique) return "done";
  if (node.error) return "failed";
  return !node.request ? "writing" : !node.media ? "generating" : "judging";
}

function line(from, to, origin) {
  const start = [from.x * STEP.x + CARD.width, from.y * STEP.y + 52];
  const end = [to.x * STEP.x, to.y * STEP.y + 52];
  const bend = (end[0] - start[0]) / 2;
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", `M${start} C${start[0] + bend},${start[1]} ${end[0] - bend},${end[1]} ${end}`);
  path.setAttribute("data-origin", origin);
  return path;
}
