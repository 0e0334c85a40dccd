// One turn of a conversation: words with times that seek, thinking behind a fold, results as what they are.

import { say } from "../data/facts.js";
import { asking } from "./asking.js";
import { subject } from "./subject.js";
import { marksOf } from "../media/marks.js";
import { seek } from "../media/viewer.js";
import { html } from "../vendor/preact.js";

// Times in an answer: "at 0:03", "00:01:02.5", "after 2.5 s".
const TIME = /(?:\b(?:(\d{1,2}):)?(\d{1,2}):(\d{2}(?:\.\d+)?)\b)|(?:\b(\d+(?:\.\d+)?)\s?(?:s|sec|secs|seconds?)\b)/g;

/** `marked` is whether its marks are those that are drawn, `last` whether no other turn follows. */
export function Turn({ turn, marked, last }) {
  const { item } = subject;
  const isAnswer = turn.role === "assistant";
  const marks = isAnswer && !turn.open && item ? marksOf(turn) : [];
  const clip = item?.type === "video" ? (item.duration_s ?? 0) : 0;
  const results = turn.results ?? [];
  // The JSON of an answer that was read is shown as what it says.
  const words = results.length ? "" : turn.text || (turn.open && !turn.thought ? say("ask.waiting") : "");
  const notes = [...(turn.skipped ?? []), turn.failure, turn.stopped && say("ask.stopped"), turn.error].filter(Boolean);
  return html`
    <li class="o-turn" data-role=${turn.role} data-open=${turn.open ? "true" : null}>
      <span class="o-sr">${say(`ask.${turn.role}`)}</span>
      ${
        turn.thought &&
        html`<details class="o-thought">
          <summary>${say(turn.open && !turn.text ? "ask.thinking" : "ask.thought")}</summary>
          <p>${turn.thought}</p>
        </details>`
      }
      ${words && html`<p class="o-turn-text">${pieces(words.trim(), isAnswer ? clip : 0)}</p>`}
      ${
        results.length > 0 &&
        html`<ol class="o-results">
          ${results.map((result, index) => html`<li data-type=${result.type}>${drawn(result, index, clip)}</li>`)}
        </ol>`
      }
      ${
        marks.length > 0 &&
        html`<button
          type="button"
          class="o-btn"
          aria-pressed=${String(marked)}
          onClick=${() => subject.pick(marked ? false : turn)}
        >
          ${say(marked ? "ask.hide_marks" : "ask.show_marks", { count: marks.length })}
        </button>`
      }
      ${
        notes.length > 0 &&
        html`<p class="o-hint" data-tone=${turn.error || turn.failure ? "bad" : null}>${notes.join(" ")}</p>`
      }
      ${
        last &&
        (turn.error || turn.stopped) &&
        html`<button type="button" class="o-btn" data-do="again" onClick=${() => asking.again()}>${say("ask.again")}</button>`
      }
    </li>
  `;
}

/** A text, the times in it that lie within the clip as buttons. */
function pieces(text, clip) {
  if (!clip) return text;
  const found = [];
  let from = 0;
  for (const { 0: words, 1: hours, 2: minutes, 3: rest, 4: plain, index } of text.matchAll(TIME)) {
    const seconds = plain ? Number(plain) : Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(rest);
    if (seconds > clip + 0.5) continue;
    found.push(text.slice(from, index), moment(words, Math.min(seconds, clip)));
    from = index + words.length;
  }
  return [...found, text.slice(from)];
}

const moment = (words, seconds) => html`
  <button type="button" class="o-moment" data-seconds=${seconds} onClick=${() => seek(seconds)}>${words}</button>
`;

/** What is drawn of a typed result. */
function drawn(result, index, clip) {
  switch (result.type) {
    case "box":
    case "point":
      return html`
        <b>${result.label || index + 1}</b> ${(result.box_2d ?? result.point_2d).map(Math.round).join(", ")}
      `;
    case "interval": {
      const words = `${result.start_s.toFixed(1)}–${result.end_s.toFixed(1)} s`;
      return [clip ? moment(words, result.start_s) : words, ` ${result.label}`];
    }
    case "label":
      return html`<b>${[result.subject_id, result.category].filter(Boolean).join(" · ")}</b> ${result.caption}`;
    case "step":
      return result.text;
    case "verdict":
      return html`<b>${verdict(result)}</b> ${result.reason}`;
    default:
      return pieces(result.text ?? "", clip);
  }
}

function verdict({ plausible, score }) {
  return [
    plausible == null ? "" : say(plausible ? "ask.plausible" : "ask.implausible"),
    score == null ? "" : say("ask.score", { score }),
  ]
    .filter(Boolean)
    .join(" · ");
}
