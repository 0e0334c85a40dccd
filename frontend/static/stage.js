// The picture, the clip or the actions: what a running job sees so far, or what a finished one made.

import { actionsChart, drawActions } from "./actions_chart.js";
import { say } from "./facts.js";
import { before, shownResults, size } from "./jobs.js";
import { live } from "./live.js";
import { make, mark, show, write } from "./nodes.js";
import { Part } from "./part.js";
import { PictureCanvas } from "./picture_canvas.js";
import { selection } from "./selection.js";

class Stage extends Part {
  #unwant = () => {};
  #watched = null; // id of the job whose frames are asked for

  sources() {
    return [live, selection];
  }

  build() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", say("stage.label"));
    this.canvas = make("canvas", { role: "img", "aria-label": say("stage.preview"), hidden: true });
    this.image = make("img", { alt: "", hidden: true });
    this.clip = make("video", { controls: true, loop: true, muted: true, playsinline: true, preload: "auto", hidden: true });
    this.chart = actionsChart();
    this.frame = make("div", { class: "o-frame" }, this.canvas, this.image, this.clip, this.chart);
    this.tag = make("span", { class: "o-tag", hidden: true });
    this.picks = make("div", { class: "o-picks", role: "group", hidden: true });
    this.lead = make("b");
    this.rest = make("ul");
    this.words = make("div", { class: "o-stage-words" }, this.lead, this.rest);
    this.append(this.frame, this.tag, this.words, this.picks);
    this.preview = new PictureCanvas(this.canvas, () => this.#drawn());
    live.addEventListener("frame", ({ detail }) => detail.topic === `preview/${this.#watched}` && this.preview.show(detail.image));
  }

  paint(state) {
    const job = selection.job(state);
    mark(this, "data-state", job?.state ?? "empty");
    mark(this, "data-job", job?.id ?? "");
    this.#watch(job?.state === "running" ? job.id : null);
    if (job) this.style.setProperty("--o-ratio", ratio(size(job)));
    const results = shownResults(job);
    const index = Math.min(selection.index, results.length - 1);
    this.#paintResult(results[index], index, results.length);
    this.#paintPicks(results, index);
    this.#paintTag(job);
    this.#paintWords(job, state);
    show(this.frame, job?.state === "running" || results.length > 0);
  }

  #watch(id) {
    if (id === this.#watched) return;
    this.#unwant();
    this.#watched = id;
    this.#unwant = id ? live.want(`preview/${id}`) : () => {};
    // The last preview stays until the picture is there; another job starts dark.
    if (id) show(this.canvas, false);
  }

  #drawn() {
    show(this.canvas, this.#watched !== null);
    this.dataset.frames = Number(this.dataset.frames ?? 0) + 1;
  }

  #paintResult(result, index, count) {
    const url = result?.url ?? "";
    if (this.frame.dataset.url === url) return;
    this.frame.dataset.url = url;
    const shown = { video: this.clip, actions: this.chart }[result?.type] ?? this.image;
    for (const node of [this.image, this.clip, this.chart]) {
      if (node === shown && url) continue;
      node.removeAttribute("src");
      node.toggleAttribute("hidden", true);
    }
    if (!url) {
      if (!this.#watched) show(this.canvas, false);
      return;
    }
    const reveal = () => {
      if (this.frame.dataset.url !== url) return;
      shown.toggleAttribute("hidden", false);
      show(this.canvas, false);
    };
    if (shown === this.chart) {
      drawActions(this.chart, url).then((drawn) => drawn && reveal());
      return;
    }
    const words = say(`stage.result_${result.type}`, { index: index + 1, count, seed: result.seed });
    mark(shown, shown === this.image ? "alt" : "aria-label", words);
    shown.src = url;
    if (shown === this.image) this.image.decode().then(reveal, reveal);
    else this.clip.addEventListener("loadeddata", reveal, { once: true });
  }

  #paintPicks(results, index) {
    show(this.picks, results.length > 1);
    const urls = results.length > 1 ? results.map((result) => result.id).join(" ") : "";
    if (this.picks.dataset.urls !== urls) {
      this.picks.dataset.urls = urls;
      this.picks.replaceChildren(
        ...(urls ? results : []).map((result, at) =>
          make(
            "button",
            {
              type: "button",
              "aria-label": say("stage.pick", { index: at + 1, seed: result.seed }),
              on: { click: () => selection.pickPicture(at) },
            },
            result.thumbnail_url ? make("img", { src: result.thumbnail_url, alt: "" }) : String(at + 1),
          ),
        ),
      );
    }
    [...this.picks.children].forEach((button, at) => mark(button, "aria-pressed", String(at === index)));
  }

  #paintTag(job) {
    const text = job ? tagOf(job) : "";
    show(this.tag, Boolean(text));
    write(this.tag, text);
  }

  #paintWords(job, state) {
    const [lead, ...rest] = wordsOf(job, state, !this.canvas.hidden);
    show(this.words, Boolean(lead));
    write(this.lead, lead ?? "");
    const lines = rest.filter(Boolean);
    if (this.rest.dataset.lines === lines.join("\n")) return;
    this.rest.dataset.lines = lines.join("\n");
    this.rest.replaceChildren(...lines.map((line) => make("li", {}, line)));
  }
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
  if (!job) return ["empty", "empty_write", "empty_watch", "empty_drop"].map((key) => say(`stage.${key}`));
  const { step, steps } = job.progress;
  switch (job.state) {
    case "queued": {
      const jobs = before(state, job);
      const checkpoint = state.system.checkpoint;
      if (job.waiting_for) return [say("stage.held", { title: job.waiting_for }), job.request.prompt];
      if (checkpoint?.state !== "ready") return [say("stage.held", { title: checkpoint?.title }), job.request.prompt];
      if (!jobs) return [say("stage.waiting_next"), job.request.prompt];
      return [jobs === 1 ? say("stage.waiting_one") : say("stage.waiting", { jobs }), job.request.prompt];
    }
    case "running":
      return hasPreview || step > 0 ? [] : [say("stage.starting")];
    case "cancelled":
      return [step ? say("stage.cancelled_at", { step, steps }) : say("stage.cancelled"), job.request.prompt];
    case "failed":
      return [say("stage.failed"), job.error?.message, job.error?.hint];
    default:
      return [];
  }
}

customElements.define("o-stage", Stage);
