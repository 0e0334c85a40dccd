// The picture, the clip or the actions: what a running job sees so far, or what a finished one made.

import { statusOf } from "../data/checkpoint.js";
import { promptOf } from "../data/job_words.js";
import { ActionsChart } from "../media/actions_chart.js";
import { ClipPlayer } from "../media/clip_player.js";
import { page, say } from "../data/facts.js";
import { hintOf } from "../data/faults.js";
import { Fixes } from "../parts/fixes.js";
import { allGone, lost } from "../data/gone.js";
import { actionsOf, actsOn, before, makesClip, shownResults, size } from "../data/jobs.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { make, mark, show } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { html, render, signal, useEffect, useRef } from "../vendor/preact.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { selection } from "./selection.js";
import { Waveform } from "../media/waveform.js";

class Stage extends Part {
  #unwant = () => {};
  #watched = null; // id of the job whose frames are asked for
  #hasPreview = signal(false); // whether the canvas shows one

  sources() {
    return [live, selection, lost];
  }

  build() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", say("stage.label"));
    this.canvas = make("canvas", { role: "img", "aria-label": say("stage.preview"), hidden: true });
    this.image = make("img", { alt: "", hidden: true });
    this.clip = make("video", { loop: true, playsinline: true, preload: "auto", hidden: true });
    this.clip.muted = true;
    this.clip.addEventListener("click", () => this.player.toggle());
    this.player = new ClipPlayer(this.clip, this);
    this.wave = new Waveform(this.player);
    this.chart = new ActionsChart();
    this.under = new ActionsChart({ small: true });
    this.player.addEventListener("frame", ({ detail }) => this.under.mark(detail, this.player.frames));
    this.frame = make("div", { class: "o-frame" }, this.canvas, this.image, this.clip, this.chart.svg);
    const over = make("div", { class: "o-over" });
    this.view = make("div", { class: "o-view" }, this.frame, over);
    render(html`<${Over} preview=${this.#hasPreview} />`, over);
    this.below = make("div", { class: "o-under", hidden: true }, this.under.svg);
    this.append(this.view, this.wave.node, this.below, this.player.node);
    this.preview = new PictureCanvas(this.canvas, () => this.#drawn());
    live.addEventListener(
      "frame",
      ({ detail }) => detail.topic === `preview/${this.#watched}` && this.preview.show(detail.image),
    );
  }

  paint(state) {
    const job = selection.job(state);
    mark(this, "data-state", job?.state ?? "empty");
    mark(this, "data-job", job?.id ?? "");
    this.#watch(job?.state === "running" ? job.id : null);
    if (job) this.style.setProperty("--o-ratio", String(ratio(size(job))));
    const results = shownResults(job);
    const index = Math.min(selection.index, results.length - 1);
    this.#paintResult(results[index], index, results.length);
    this.#paintUnder(job, results[index]);
    show(this.frame, job?.state === "running" || results.length > 0);
    this.#reserve(job, results[index]);
  }

  // What stands below a clip has its room from the first step on, so that nothing moves when the clip is there.
  #reserve(job, result) {
    const expected = job?.state === "running" && makesClip(job);
    const clip = expected || result?.type === "video";
    show(this.player.node, clip);
    mark(this.player.node, "data-idle", clip && !result);
    show(this.wave.node, expected ? Boolean(job.request.sound) : Boolean(result?.has_sound));
    show(this.below, expected ? actsOn(job) : Boolean(this.below.dataset.key));
  }

  #watch(id) {
    if (id === this.#watched) return;
    this.#unwant();
    this.#watched = id;
    this.#unwant = id ? live.want(`preview/${id}`) : () => {};
    // The last preview stays until the picture is there; another job starts dark.
    if (id) this.#showPreview(false);
  }

  #showPreview(visible) {
    show(this.canvas, visible);
    this.#hasPreview.value = visible;
  }

  #drawn() {
    this.#showPreview(this.#watched !== null);
    this.dataset.frames = String(Number(this.dataset.frames ?? 0) + 1);
  }

  #paintResult(result, index, count) {
    const url = result?.url ?? "";
    if (this.frame.dataset.url === url) return;
    this.frame.dataset.url = url;
    const shown = { video: this.clip, actions: this.chart.svg }[result?.type] ?? this.image;
    for (const node of [this.image, this.clip, this.chart.svg]) {
      if (node === shown && url) continue;
      if (node === this.clip) this.clip.pause();
      node.removeAttribute("src");
      node.toggleAttribute("hidden", true);
    }
    this.wave.show(shown === this.clip ? result : null);
    if (!url) {
      if (!this.#watched) this.#showPreview(false);
      return;
    }
    const reveal = () => {
      if (this.frame.dataset.url !== url) return;
      shown.toggleAttribute("hidden", false);
      this.#showPreview(false);
    };
    if (shown === this.chart.svg) {
      this.chart.load(url).then((drawn) => drawn && reveal());
      return;
    }
    const words = say(`stage.result_${result.type}`, { index: index + 1, count, seed: result.seed });
    mark(shown, shown === this.image ? "alt" : "aria-label", words);
    shown.src = url;
    if (shown === this.image) this.image.decode().then(reveal, reveal);
    else this.#reveal(result, reveal);
  }

  // A clip plays at once, unless less motion was asked for.
  #reveal(result, reveal) {
    this.player.take(result);
    this.clip.addEventListener("loadeddata", reveal, { once: true });
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.clip.play().catch(() => {});
  }

  // Below a clip that actions led to, or that was foreseen with them: their lines, and where the clip is in them.
  #paintUnder(job, result) {
    const actions = result?.type === "video" ? actionsOf(job, result) : null;
    const key = actions ? `${job.id} ${result.id}` : "";
    if (this.below.dataset.key === key) return;
    this.below.dataset.key = key;
    if (!actions) return;
    if (Array.isArray(actions)) this.under.draw({ actions, fps: job.request.fps });
    else this.under.load(actions);
  }
}

/** What stands over the media: the step, words, and the pictures to choose from. */
function Over({ preview }) {
  const { state } = seen(live);
  const job = seen(selection).job(state);
  const results = seen(lost) && shownResults(job);
  const tag = job ? tagOf(job) : "";
  const [lead, ...lines] = wordsOf(job, state, preview.value);
  return html`
    ${tag && html`<span class="o-tag">${tag}</span>`}
    ${lead && html`<${Words} key=${job?.id} job=${job} lead=${lead} lines=${lines.filter(Boolean)} />`}
    ${results.length > 1 && html`<${Picks} results=${results} />`}
  `;
}

function Words({ job, lead, lines }) {
  const node = useRef(null);
  // Who has no pointer scrolls words that are too many by the arrow keys, once they have the focus.
  useEffect(() => {
    const words = node.current;
    const overflow = new ResizeObserver(() =>
      mark(words, "tabindex", words.scrollHeight > words.clientHeight ? 0 : null),
    );
    for (const part of [words, ...words.children]) overflow.observe(part);
    return () => overflow.disconnect();
  }, []);
  return html`
    <div class="o-stage-words" ref=${node}>
      <b>${lead}</b>
      <ul>
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>
      <div class="o-fixes">
        ${job?.state === "failed" && html`<${Fixes} error=${job.error} request=${job.request} />`}
      </div>
    </div>
  `;
}

function Picks({ results }) {
  const index = Math.min(seen(selection).index, results.length - 1);
  return html`
    <div class="o-picks" role="group">
      ${results.map(
        ({ id, seed, thumbnail_url: url }, at) => html`
          <button
            key=${id}
            type="button"
            aria-label=${say("stage.pick", { index: at + 1, seed })}
            aria-pressed=${String(at === index)}
            onClick=${() => selection.pickPicture(at)}
          >
            ${url ? html`<img src=${url} alt="" />` : String(at + 1)}
          </button>
        `,
      )}
    </div>
  `;
}

const WIDE = [16, 9];

const ratio = (canvas) => (canvas ?? WIDE)[0] / (canvas ?? WIDE)[1];

function tagOf({ state, progress, stopped_at_step: stopped }) {
  const { phase, step, steps } = progress;
  if (state === "running" && phase === "decoding") return say("stage.tag_decoding");
  if (state === "running" && step > 0) return say("stage.tag", { step, steps });
  if (state === "succeeded" && stopped != null) return say("stage.tag_stopped", { step: stopped, steps });
  return "";
}

/** What stands on the stage in words: a lead, then lines. */
function wordsOf(job, state, hasPreview) {
  if (!job) return [say("stage.empty"), say("stage.about"), say(`empty.${page}`), say("stage.empty_drop")];
  const { step, steps } = job.progress;
  switch (job.state) {
    case "queued": {
      const jobs = before(state, job);
      const { state: at, title = job.checkpoint } = statusOf(state.system, job.checkpoint) ?? {};
      if (job.waiting_for) return [say("stage.held", { title: job.waiting_for }), promptOf(job)];
      if (at !== "ready") return [say("stage.held", { title }), promptOf(job)];
      if (state.system.queue?.paused) return [say("stage.paused"), promptOf(job)];
      if (!jobs) return [say("stage.waiting_next"), promptOf(job)];
      return [jobs === 1 ? say("stage.waiting_one") : say("stage.waiting", { jobs }), promptOf(job)];
    }
    case "running":
      return hasPreview || step > 0 ? [] : [say("stage.starting")];
    case "cancelled":
      return [step ? say("stage.cancelled_at", { step, steps }) : say("stage.cancelled"), promptOf(job)];
    case "failed":
      return [say("stage.failed"), job.error?.message, hintOf(job.error)];
    default:
      return allGone(job) ? [say("stage.deleted"), promptOf(job), say("stage.deleted_hint")] : [];
  }
}

customElements.define("o-stage", Stage);
