// An item that was made: what was given, how it ought to be, and what each run made, beside each other; all its videos
// play together.

import { say } from "../data/facts.js";
import { canMake, takes } from "../data/kinds.js";
import { ActionsChart, useActions } from "../media/actions_chart.js";
import { html, useRef } from "../vendor/preact.js";
import { figure, titleOfMetric } from "./figures.js";

export function Generated({ item, of, runs }) {
  const row = useRef(null);
  const { request, reference } = item;
  const truth = reference?.media;
  const given = item.media.filter((id) => id !== truth);
  const fields = Object.entries(takes(request.kind));
  const isImage = (id) => fields.some(([name, { type }]) => type === "image" && request[name] === id);
  const still = canMake(request.kind, "image");
  const play = () => {
    const videos = [...row.current.querySelectorAll("video")];
    const paused = videos.every((video) => video.paused);
    for (const video of videos) {
      video.currentTime = 0;
      if (paused) video.play();
      else video.pause();
    }
  };
  return html`
    <li data-item=${item.id} data-wide class="o-evaluate-made">
      <p class="o-evaluate-question">${request.prompt}</p>
      <div class="o-evaluate-beside" ref=${row}>
        ${given.map((id) => html`<${Shown} key=${id} id=${id} words=${say("evaluate.given")} still=${isImage(id)} onPlay=${play} />`)}
        ${truth && html`<${Shown} id=${truth} words=${say("evaluate.reference")} still=${still} onPlay=${play} />`}
        ${
          reference?.actions &&
          html`<figure>
            <figcaption>${say("evaluate.reference")}</figcaption>
            <${ActionsChart} actions=${reference.actions} fps=${request.fps ?? 15} />
          </figure>`
        }
        ${of.map((one, at) => one && runs[at] && html`<${OfRun} key=${runs[at].id} run=${runs[at]} answered=${one} still=${still} onPlay=${play} />`)}
      </div>
    </li>
  `;
}

function OfRun({ run, answered: { answers, marks }, still, onPlay }) {
  if (!answers.length)
    return html`<figure data-run=${run.id}>
      <figcaption>${run.title}</figcaption>
      <p class="o-hint">${say("evaluate.not_made")}</p>
    </figure>`;
  return answers.map((answer) => {
    const mark = marks.find(({ trial }) => trial === answer.trial);
    const made = mark?.reading ?? {};
    const words =
      run.settings.trials > 1 ? say("evaluate.made_trial", { run: run.title, trial: answer.trial + 1 }) : run.title;
    const values = Object.entries(made.figures?.values ?? {}).map(
      ([metric, value]) => `${titleOfMetric(metric)} ${figure(metric, value)}`,
    );
    return html`
      <div key=${answer.trial} data-run=${run.id} data-state=${mark?.state}>
        ${(made.media ?? []).map((id) => html`<${Shown} key=${id} id=${id} words=${words} still=${still} onPlay=${onPlay} />`)}
        ${made.round_trip && html`<${Shown} id=${made.round_trip} words=${say("evaluate.way_back")} onPlay=${onPlay} />`}
        ${answer.error && html`<figure><figcaption>${words}</figcaption><p class="o-bad-words">${answer.error.message}</p></figure>`}
        <small>${[...values, ...Object.values(made.figures?.notes ?? {})].join(" · ")}</small>
      </div>
    `;
  });
}

const ACTIONS = /-actions$/;

/** An image, a video, or actions of the library. */
function Shown({ id, words, still = false, onPlay }) {
  const acts = ACTIONS.test(id);
  const actions = useActions(acts ? `/v1/media/${id}` : "");
  return html`
    <figure>
      <figcaption>${words}</figcaption>
      ${acts && actions && html`<${ActionsChart} actions=${actions.actions} fps=${actions.fps} columns=${actions.columns} />`}
      ${acts && actions === null && html`<p class="o-hint">${say("evaluate.made_gone")}</p>`}
      ${!acts && html`<${Picture} id=${id} still=${still} onPlay=${onPlay} />`}
    </figure>
  `;
}

function Picture({ id, still, onPlay }) {
  if (still) return html`<img alt="" loading="lazy" src=${`/v1/media/${id}`} />`;
  return html`
    <button type="button" aria-label=${say("evaluate.play_together")} onClick=${onPlay}>
      <video src=${`/v1/media/${id}`} poster=${`/v1/media/${id}/thumbnail`} preload="none" muted loop playsinline />
    </button>
  `;
}
