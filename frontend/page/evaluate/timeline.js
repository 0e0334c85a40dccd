// A video with what happens in it below: by the reference, by each answer, and as a person corrects it.

import { say } from "../data/facts.js";
import { Playback } from "../media/playback.js";
import { Player } from "../media/player.js";
import { html, signal, useEffect, useRef, useSignal, useState } from "../vendor/preact.js";
import { framesOf, limitsOf, moved, offsets, referenceOf, same, secondsOf } from "./boundaries.js";
import { CorrectionActs } from "./corrections.js";
import { useUndo } from "./undo.js";

const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const FAR = 10; // frames with Shift
const EDGES = ["start", "end"];

const opened = signal(""); // the item whose video is there: one at a time hears the keys of a player

/** `of` has the answered item of each of `runs`; all of them are of one benchmark. */
export function Timeline({ item, of, runs }) {
  const first = of.find(Boolean);
  const { boundaries, correction } = first;
  const { length } = boundaries;
  if (!length) return html`<p class="o-hint">${say("evaluate.no_video")}</p>`;
  const answers = of.flatMap((one, at) =>
    (one?.boundaries.answered ?? []).map(({ trial, spans }) => ({
      name:
        one.boundaries.answered.length > 1
          ? say("evaluate.trial", { run: runs[at].title, trial: trial + 1 })
          : runs[at].title,
      said: spans,
      spans: framesOf(spans, length),
    })),
  );
  const reference = framesOf(boundaries.reference, length);
  const corrected = boundaries.corrected && framesOf(boundaries.corrected, length);
  return html`
    <${Lanes}
      ...${{ item, answers, reference, corrected, correction, length }}
      run=${runs[of.indexOf(first)]}
      video=${boundaries.video}
    />
  `;
}

function Lanes({ item, run, answers, reference, corrected, correction, length, video }) {
  const ordered = run.form === "events";
  const { fps, num_frames: frames } = length;
  const draft = useSignal(null); // spans that were changed here, null before
  const [playback] = useState(() => {
    const made = new Playback();
    made.take(length);
    return made;
  });
  const root = useRef(null);
  const wanted = useRef(0); // the frame that is looked at once the video has come
  const begins = corrected ?? answers[0]?.spans ?? reference;
  const spans = draft.value ?? begins;
  const isNew = draft.value !== null && !same(draft.value, corrected);
  const way = useUndo(draft, begins, same);
  useEffect(() => {
    if (corrected && same(draft.value, corrected)) draft.value = null;
  }, [correction?.created_at]);

  function look(frame) {
    opened.value = item.id;
    wanted.current = frame;
    playback.goTo(frame);
  }
  const change = (next) => {
    if (same(next, draft.peek() ?? begins)) return;
    draft.value = next;
  };
  function move(at, edge, frame) {
    const next = moved(draft.peek() ?? begins, at, edge, frame, frames, ordered);
    change(next);
    look(next[at][edge]);
  }
  function add() {
    way.remember();
    const start = Math.min(playback.frame.value, frames - 2);
    const end = Math.min(start + Math.round(fps), frames - 1);
    change([...(draft.peek() ?? begins), { label: "", start, end }].toSorted((one, other) => one.start - other.start));
  }
  function drop(at) {
    way.remember();
    change(spans.filter((_, index) => index !== at));
    root.current.focus(); // the boundary that had it is gone, and Ctrl+Z must still be heard
  }
  const isCorrected = Boolean(corrected) || isNew;
  return html`
    <div ref=${root} class="o-timeline" tabindex="-1" data-unsaved=${isNew ? "" : null} onKeyDown=${way.hear}>
      <${Watched} item=${item} video=${video} playback=${playback} wanted=${wanted} open=${opened.value === item.id} look=${look} />
      <div class="o-timeline-lanes" role="group" aria-label=${say("evaluate.timeline")}>
        <${Lane} name=${say("evaluate.lane_reference")} of="reference" spans=${reference} frames=${frames} look=${look} />
        ${answers.map(
          ({ name, spans: said }, at) => html`
            <${Lane} key=${at} name=${name} of="answer" spans=${said} frames=${frames} look=${look} />
          `,
        )}
        <${Lane}
          name=${correction && !isNew ? say("evaluate.corrected_by", { name: correction.by }) : say("evaluate.lane_person")}
          of="person"
          spans=${spans}
          frames=${frames}
          look=${look}
        >
          ${spans.map((span, at) =>
            EDGES.map(
              (edge) => html`
                <${Handle}
                  key=${`${at}-${edge}`}
                  ...${{ spans, at, edge, fps, frames, ordered, move }}
                  remember=${way.remember}
                  drop=${ordered ? null : drop}
                  label=${span.label}
                />
              `,
            ),
          )}
        <//>
        ${opened.value === item.id && html`<${Playhead} playback=${playback} frames=${frames} />`}
      </div>
      <${Times} ...${{ spans, answers, ordered, fps }} measured=${isCorrected} />
      <${CorrectionActs} ...${{ run, item, correction, draft, isNew, way }} reference=${() => referenceOf(spans, fps, ordered)}>
        ${!ordered && html`<button type="button" class="o-btn" data-do="add" onClick=${add}>${say("evaluate.add_interval")}</button>`}
      <//>
      <p class="o-hint">${say(ordered ? "evaluate.timeline_hint" : "evaluate.intervals_hint")}</p>
    </div>
  `;
}

/** The video once it is asked for: ten of them at once would be loaded and heard. */
function Watched({ item, video, playback, wanted, open, look }) {
  const whole = useRef(null);
  if (!open)
    return html`
      <button type="button" class="o-timeline-poster" aria-label=${say("evaluate.watch", { name: item.id })} onClick=${() => look(0)}>
        <img alt="" loading="lazy" src=${`/v1/media/${video}/thumbnail`} />
      </button>
    `;
  return html`
    <div ref=${whole} class="o-timeline-video">
      <video ref=${playback.ref} src=${`/v1/media/${video}`} muted playsinline preload="auto" onLoadedMetadata=${() => playback.goTo(wanted.current)} />
      <${Player} playback=${playback} whole=${whole} sound=${false} />
    </div>
  `;
}

const placeOf = (frame, frames) => `${(100 * frame) / Math.max(frames - 1, 1)}%`;

function frameAt({ clientX }, lane, frames) {
  const { left, width } = lane.getBoundingClientRect();
  const share = Math.min(Math.max((clientX - left) / width, 0), 1);
  return Math.round(share * (frames - 1));
}

function Lane({ name, of, spans, frames, look, children }) {
  return html`
    <span class="o-timeline-name" title=${name}>${name}</span>
    <div
      class="o-timeline-lane"
      data-of=${of}
      onPointerDown=${(event) => event.target.role !== "slider" && look(frameAt(event, event.currentTarget, frames))}
    >
      ${spans.map(
        ({ label, start, end }, at) => html`
          <i
            key=${at}
            title=${label || null}
            style=${{ left: placeOf(start, frames), width: placeOf(end - start, frames) }}
          >
            ${at + 1}
          </i>
        `,
      )}
      ${children}
    </div>
  `;
}

/** A boundary that a pointer or the keys move. */
function Handle({ spans, at, edge, label, fps, frames, ordered, move, remember, drop }) {
  const frame = spans[at][edge];
  const [low, high] = limitsOf(spans, at, edge, frames, ordered);
  const name = say(`evaluate.boundary_${edge}`, { number: at + 1, label });
  function onPointerDown(event) {
    if (event.button !== 0) return;
    const handle = event.currentTarget;
    const left = new AbortController();
    const drag = (moves) => move(at, edge, frameAt(moves, handle.parentElement, frames));
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    remember();
    move(at, edge, frame);
    handle.addEventListener("pointermove", drag, { signal: left.signal });
    for (const ended of ["pointerup", "pointercancel"])
      handle.addEventListener(ended, () => left.abort(), { signal: left.signal });
  }
  function onKeyDown(event) {
    const by = STEPS[event.key];
    if (by && !event.ctrlKey && !event.metaKey && !event.altKey) {
      remember();
      move(at, edge, frame + by * (event.shiftKey ? FAR : 1));
    } else if (drop && event.key === "Delete") drop(at);
    else return;
    event.preventDefault();
  }
  return html`
    <b
      role="slider"
      tabindex="0"
      data-boundary=${`${at}-${edge}`}
      data-edge=${edge}
      title=${name}
      aria-label=${name}
      aria-valuemin=${low}
      aria-valuemax=${high}
      aria-valuenow=${frame}
      aria-valuetext=${say("evaluate.at_time", { time: secondsOf(frame, fps).toFixed(2), frame })}
      style=${{ left: placeOf(frame, frames) }}
      onPointerDown=${onPointerDown}
      onKeyDown=${onKeyDown}
    />
  `;
}

const Playhead = ({ playback, frames }) => html`
  <span class="o-timeline-playhead" aria-hidden="true"><u style=${{ left: placeOf(playback.frame.value, frames) }} /></span>
`;

function Times({ spans, answers, ordered, fps, measured }) {
  const time = (frame) => secondsOf(frame, fps).toFixed(2);
  const signed = (seconds) => `${seconds < 0 ? "−" : "+"}${Math.abs(seconds).toFixed(2)}`;
  const off = answers.map(({ said }) => offsets(spans, said, ordered, fps));
  return html`
    <div class="o-evaluate-scroll" tabindex="0" role="region" aria-label=${say("evaluate.times")}>
      <table>
        <thead>
          <tr>
            <th scope="col">${say(ordered ? "evaluate.event" : "evaluate.interval_name")}</th>
            <th scope="col">${say(measured ? "evaluate.lane_person" : "evaluate.times")}</th>
            ${measured && answers.map(({ name }) => html`<th scope="col">${say("evaluate.off", { name })}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${spans.map(
            ({ label, start, end }, at) => html`
              <tr key=${at} data-span=${at}>
                <th scope="row">${at + 1}${label && ` · ${label}`}</th>
                <td class="o-num">${time(start)} – ${time(end)} s</td>
                ${
                  measured &&
                  off.map(
                    (one) =>
                      html`<td class="o-num">${one[at] ? `${signed(one[at].start)} / ${signed(one[at].end)} s` : "–"}</td>`,
                  )
                }
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}
