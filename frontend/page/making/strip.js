// Every job, newest first: its picture, its state, its time. A click puts it on the stage.

import { say } from "../data/facts.js";
import { allGone, lost, remaining } from "../data/gone.js";
import { icon } from "../parts/icons.js";
import { clock, makes, newestFirst, percent, seeds } from "../data/jobs.js";
import { canMake } from "../data/kinds.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { selection } from "./selection.js";

const MOST = 60;
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

class Strip extends Part {
  #items = new Map(); // job id → { item, button, picture, tag, label }
  #staged = null; // the job that the strip was last scrolled to

  sources() {
    return [live, selection, lost];
  }

  build() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", say("strip.label"));
    this.empty = make("p", {}, say("strip.empty"));
    this.list = make("ul", { role: "list" });
    this.append(this.empty, this.list);
    this.list.addEventListener("keydown", (event) => this.#step(event));
  }

  paint(state) {
    const jobs = newestFirst(state).slice(0, MOST);
    const staged = selection.job(state)?.id;
    show(this.empty, jobs.length === 0 && live.seq >= 0);
    show(this.list, jobs.length > 0);
    mark(this, "data-count", jobs.length);
    const kept = new Set(jobs.map((job) => job.id));
    for (const [id, { item }] of this.#items) {
      if (kept.has(id)) continue;
      item.remove();
      this.#items.delete(id);
    }
    jobs.forEach((job, index) => {
      const parts = this.#items.get(job.id) ?? this.#add(job);
      if (this.list.children[index] !== parts.item)
        this.list.insertBefore(parts.item, this.list.children[index] ?? null);
      paintItem(parts, job, job.id === staged);
    });
    if (staged !== this.#staged) this.#scrollTo(staged);
  }

  // The strip alone moves, never the page.
  #scrollTo(id) {
    this.#staged = id;
    const item = this.#items.get(id)?.item.getBoundingClientRect();
    const list = this.list.getBoundingClientRect();
    if (!item || (item.left >= list.left && item.right <= list.right)) return;
    this.list.scrollLeft += item.left + item.width / 2 - list.left - list.width / 2;
  }

  #add(job) {
    const picture = make("img", { alt: "", loading: "lazy", hidden: true });
    const glyph = make("i", { hidden: true }, icon("curve", 28));
    const tag = make("span");
    const label = make("span", { class: "o-item-label" });
    const button = make(
      "button",
      { type: "button", "data-job": job.id, on: { click: () => selection.pick(job.id) } },
      make("span", { class: "o-item-picture" }, picture, glyph, tag),
      label,
    );
    const parts = { item: make("li", {}, button), button, picture, glyph, tag, label };
    this.#items.set(job.id, parts);
    return parts;
  }

  #step(event) {
    const step = STEPS[event.key];
    const neighbour =
      step && document.activeElement.closest("li")?.[step > 0 ? "nextElementSibling" : "previousElementSibling"];
    if (!neighbour) return;
    event.preventDefault();
    neighbour.querySelector("button").focus();
  }
}

function paintItem({ button, picture, glyph, tag, label }, job, staged) {
  const url = remaining(job)[0]?.thumbnail_url;
  const gone = allGone(job);
  const { count = 1 } = job.request;
  const made = count === 1 ? seeds(job) : say(canMake(job.kind, "image") ? "strip.several" : "strip.seeds", { count });
  const words = [makes(job), made].filter(Boolean).join(" · ");
  const state = gone ? say("media.deleted") : stateOf(job);
  mark(button, "data-state", job.state);
  mark(button, "data-deleted", gone ? "" : null);
  mark(button, "aria-current", staged ? "true" : null);
  mark(button, "aria-label", say("strip.item", { state, time: clock(job), label: words }));
  mark(button, "title", job.request.prompt);
  show(picture, Boolean(url));
  show(glyph, !url && !gone && job.state === "succeeded");
  mark(picture, "src", url);
  write(tag, job.state === "succeeded" && !gone ? clock(job) : state);
  write(label, words);
}

function stateOf(job) {
  if (job.state !== "running") return say(`strip.${job.state}`);
  return job.progress.step ? say("strip.running", { percent: percent(job) }) : say("strip.starting");
}

customElements.define("o-strip", Strip);
