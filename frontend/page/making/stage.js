// The picture, the clip or the actions: what a running job sees so far, or what a finished one made.

import { checkpoint, statusOf } from "../data/checkpoint.js";
import { page, places, say } from "../data/facts.js";
import { hintOf } from "../data/faults.js";
import { allGone, lost } from "../data/gone.js";
import { promptOf } from "../data/job_words.js";
import { actionsOf, actsOn, before, makesClip, shownResults, size } from "../data/jobs.js";
import { live } from "../data/live.js";
import { settings } from "../data/settings.js";
import { seen } from "../data/store.js";
import { ActionsChart, useActions } from "../media/actions_chart.js";
import { openLightbox } from "../media/lightbox.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { Playback } from "../media/playback.js";
import { Player } from "../media/player.js";
import { Waveform } from "../media/waveform.js";
import { define, useAttributes } from "../parts/element.js";
import { Fixes } from "../parts/fixes.js";
import { Icon } from "../parts/icons.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal, useState } from "../vendor/preact.js";
import { selection } from "./selection.js";

const SHOWN_FIRST = ["world", "policy", "robot"]; // what the demo model of a simulated table does well

const STILL = matchMedia("(prefers-reduced-motion: reduce)");

function Stage({ element }) {
  const { state } = seen(live);
  const { index: picked } = seen(selection);
  const job = selection.job(state);
  const results = seen(lost) && shownResults(job);
  const index = Math.min(picked, results.length - 1);
  const result = results[index];
  const url = result?.url;
  const runs = job?.state === "running";
  const [playback] = useState(() => new Playback());
  const drawn = useSignal(""); // the URL of the result that can be seen
  const previewed = useSignal(""); // id of the job whose preview can be seen
  const whole = useRef(element);
  const hasPreview = previewed.value === job?.id && drawn.value !== url && (runs || Boolean(url));

  useAttributes(element, {
    role: "region",
    "aria-label": say("stage.label"),
    "data-state": job?.state ?? "empty",
    "data-job": job?.id ?? "",
  });
  useLayoutEffect(() => {
    if (job) element.style.setProperty("--o-ratio", String(ratio(size(job))));
  });
  return html`
    <div class="o-view">
      <div class="o-frame" hidden=${!runs && !results.length}>
        <${Preview} id=${runs ? job.id : null} hidden=${!hasPreview} previewed=${previewed} element=${element} />
        ${url && html`<${Result} ...${{ result, index, count: results.length, playback, drawn }} />`}
      </div>
      ${
        url &&
        html`<button
          type="button"
          class="o-enlarge"
          title=${say("lightbox.open")}
          aria-label=${say("lightbox.open")}
          data-hot="enlarge"
          onClick=${() => openLightbox(results, result.id)}
        >
          <${Icon} name="grow" />
        </button>`
      }
      <div class="o-over"><${Over} ...${{ job, state, results, hasPreview }} /></div>
    </div>
    <${Below} ...${{ job, result, playback, whole }} />
  `;
}

/** The pictures on the way of the job `id`; the last one stays until the result can be seen. */
function Preview({ id, hidden, previewed, element }) {
  const canvas = useRef(null);
  useEffect(() => {
    if (!id) return;
    const picture = new PictureCanvas(canvas.current, () => {
      previewed.value = id;
      element.dataset.frames = String(Number(element.dataset.frames ?? 0) + 1);
    });
    const show = ({ detail: { topic, image } }) => topic === `preview/${id}` && picture.show(image);
    live.addEventListener("frame", show);
    const unwant = live.want(`preview/${id}`);
    return () => {
      live.removeEventListener("frame", show);
      unwant();
    };
  }, [id]);
  return html`<canvas ref=${canvas} role="img" aria-label=${say("stage.preview")} hidden=${hidden} />`;
}

/** What a job made; `drawn` becomes its URL once it can be seen. A clip plays at once, unless it shall not. */
function Result({ result, index, count, playback, drawn }) {
  const { type, url, seed } = result;
  const image = useRef(null);
  const actions = useActions(type === "actions" ? url : null);
  const reveal = () => {
    drawn.value = url;
  };
  useEffect(() => {
    let current = true;
    if (type === "image")
      image.current
        .decode()
        .finally(() => current && reveal())
        .catch(() => {});
    if (type === "video" && settings.values.autoplay && !STILL.matches) playback.play();
    return () => {
      current = false;
    };
  }, [url]);
  useEffect(() => {
    if (actions) reveal();
  }, [actions]);
  useLayoutEffect(() => playback.take(result), [url]);
  if (type === "actions") return actions && html`<${ActionsChart} ...${actions} />`;
  const words = say(`stage.result_${type}`, { index: index + 1, count, seed });
  if (type === "image") return html`<img ref=${image} src=${url} alt=${words} />`;
  return html`<video
    ref=${playback.ref}
    src=${url}
    loop
    playsinline
    preload="auto"
    aria-label=${words}
    onLoadedData=${reveal}
    onClick=${() => playback.toggle()}
  />`;
}

/** What stands below a clip; it has its room from the first step on, so that nothing moves when the clip is there. */
function Below({ job, result, playback, whole }) {
  const clip = result?.type === "video" ? result : null;
  const expected = job?.state === "running" && makesClip(job);
  const actions = clip && actionsOf(job, clip);
  const fetched = useActions(typeof actions === "string" ? actions : null);
  const lines = Array.isArray(actions) ? { actions, fps: job.request.fps } : fetched;
  if (!clip && !expected) return null;
  return html`
    ${
      (expected ? job.request.sound : clip.has_sound) &&
      html`<${Waveform} id=${clip?.has_sound ? clip.id : null} playback=${playback} />`
    }
    ${
      (expected ? actsOn(job) : actions) &&
      html`<div class="o-under">${lines && html`<${ActionsChart} small playback=${playback} ...${lines} />`}</div>`
    }
    <${Player} playback=${playback} whole=${whole} sound=${Boolean(clip?.has_sound)} idle=${!clip} />
  `;
}

/** What stands over the media: the step, words, and the pictures to choose from. */
function Over({ job, state, results, hasPreview }) {
  const tag = job ? tagOf(job) : "";
  const [lead, ...lines] = wordsOf(job, state, hasPreview);
  return html`
    ${tag && html`<span class="o-tag">${tag}</span>`}
    ${lead && html`<${Words} key=${job?.id} job=${job} lead=${lead} lines=${lines.filter(Boolean)} />`}
    ${results.length > 1 && html`<${Picks} results=${results} />`}
  `;
}

function Words({ job, lead, lines }) {
  const node = useRef(null);
  const scrolls = useSignal(false);
  // Who has no pointer scrolls words that are too many by the arrow keys, once they have the focus.
  useEffect(() => {
    const words = node.current;
    const overflow = new ResizeObserver(() => {
      scrolls.value = words.scrollHeight > words.clientHeight;
    });
    for (const part of [words, ...words.children]) overflow.observe(part);
    return () => overflow.disconnect();
  }, []);
  return html`
    <div class="o-stage-words" ref=${node} tabindex=${scrolls.value ? 0 : null}>
      <b>${lead}</b>
      <ul>
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>
      <div class="o-fixes">
        ${job?.state === "failed" && html`<${Fixes} error=${job.error} request=${job.request} />`}
        ${
          !job &&
          seen(checkpoint).details?.simulated &&
          SHOWN_FIRST.filter((name) => name !== page).map(
            (name) => html`<a key=${name} class="o-btn" href=${places[name].path}>${say(`stage.first_${name}`)}</a>`,
          )
        }
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

define("o-stage", Stage);
