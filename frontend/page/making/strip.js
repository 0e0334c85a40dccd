// Every job, newest first: its picture, its state, its time. A click puts it on the stage. A batch is one stack, which a
// click opens as well.

import { promptOf } from "../data/job_words.js";
import { say } from "../data/facts.js";
import { allGone, lost, remaining } from "../data/gone.js";
import { clock, makes, newestFirst, percent, seeds } from "../data/jobs.js";
import { canMake } from "../data/kinds.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { define, useAttributes } from "../parts/element.js";
import { Icon } from "../parts/icons.js";
import { html, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";
import { selection } from "./selection.js";

const MOST = 60;
const STEPS = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" };

function Strip({ element }) {
  const list = useRef(null);
  const opened = useSignal(""); // id of the batch whose jobs are shown one by one
  const { state } = seen(live);
  const staged = seen(selection).job(state)?.id;
  const { jobs, sizes } = stacked(newestFirst(state), opened.value);
  useAttributes(element, { role: "region", "aria-label": say("strip.label"), "data-count": jobs.length });

  // The strip alone moves, never the page.
  useLayoutEffect(() => {
    const item = list.current?.querySelector("[aria-current]")?.closest("li").getBoundingClientRect();
    const shown = list.current?.getBoundingClientRect();
    if (!item || (item.left >= shown.left && item.right <= shown.right)) return;
    list.current.scrollLeft += item.left + item.width / 2 - shown.left - shown.width / 2;
  }, [staged]);

  function onKeyDown(event) {
    const neighbour = document.activeElement.closest("li")?.[STEPS[event.key]];
    if (!neighbour) return;
    event.preventDefault();
    neighbour.querySelector("button").focus();
  }

  if (!jobs.length) return live.seq >= 0 ? html`<p>${say("strip.empty")}</p>` : null;
  return html`
    <ul role="list" ref=${list} onKeyDown=${onKeyDown}>
      ${jobs.map((job) => html`<${Item} key=${job.id} ...${{ job, staged, opened, known: sizes.get(job) }} />`)}
    </ul>
  `;
}

/**
 * The first jobs to show, of a closed batch one: what runs of it, else what was made last, else the newest. `sizes` has
 * how many are known of a batch, by the job that stands for it.
 */
function stacked(jobs, opened) {
  const batches = Map.groupBy(jobs, (job) => job.batch?.id ?? job.id);
  const stands = (of) => of.find(isRunning) ?? of.find(({ results }) => results.length) ?? of[0];
  const shown = [...batches].flatMap(([id, of]) => (id === opened ? of : [stands(of)])).slice(0, MOST);
  const sizes = new Map([...batches].map(([id, of]) => [id === opened ? of[0] : stands(of), of.length]));
  return { jobs: shown, sizes };
}

const isRunning = ({ state }) => state === "running";

function Item({ job, staged, opened, known }) {
  const { batch } = job;
  const size = known && batch?.size > 1 ? batch.size : null; // where it stands for its batch
  const isOpen = size && opened.value === batch.id;
  function pick() {
    selection.pick(job.id);
    if (size) opened.value = isOpen ? "" : batch.id;
  }
  const url = seen(lost) && remaining(job)[0]?.thumbnail_url;
  const gone = allGone(job);
  const done = job.state === "succeeded";
  const { count = 1 } = job.request;
  const made = count === 1 ? seeds(job) : say(canMake(job.kind, "image") ? "strip.several" : "strip.seeds", { count });
  const label = [makes(job), made].filter(Boolean).join(" · ");
  const state = gone ? say("media.deleted") : stateOf(job);
  return html`
    <li>
      <button
        type="button"
        data-job=${job.id}
        data-state=${job.state}
        data-deleted=${gone ? "" : null}
        data-stack=${size}
        aria-expanded=${size && String(Boolean(isOpen))}
        aria-current=${staged === job.id ? "true" : null}
        aria-label=${say("strip.item", { state, time: clock(job), label })}
        title=${promptOf(job)}
        onClick=${pick}
      >
        <span class="o-item-picture">
          ${url && html`<img alt="" loading="lazy" src=${url} />`}
          ${!url && !gone && done && html`<i><${Icon} name="curve" size="28" /></i>`}
          <span>${done && !gone ? clock(job) : state}</span>
        </span>
        <span class="o-item-label">${size ? say("strip.stack", { size, label }) : label}</span>
      </button>
    </li>
  `;
}

function stateOf(job) {
  if (job.state !== "running") return say(`strip.${job.state}`);
  return job.progress.step ? say("strip.running", { percent: percent(job) }) : say("strip.starting");
}

define("o-strip", Strip);
