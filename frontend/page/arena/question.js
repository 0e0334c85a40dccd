// One question: the answers side by side, whose they are only when asked for, and what judges made of them.

import { arena, questions } from "./store.js";
import { duration, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { html, useRef, useSignal } from "../vendor/preact.js";

export function QuestionCard({ id, text, media, reference, answers }) {
  const revealed = useSignal(false);
  const judge = useRef(null);
  const busy = seen(questions).busy[id];
  const able = seen(arena).reasoners.filter(({ ready }) => ready);
  const missing = answers.some((answer) => answer.text === null);
  const gradable = Boolean(reference) && answers.some((answer) => answer.text !== null);
  // In the order of their ids, which chance has made: not in the one in which the reasoners were named.
  const shuffled = answers.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const waits = say(busy ? "answers.coming" : "answers.missing");
  const button = (name, act, more = {}) => html`
    <button type="button" class="o-btn" data-do=${name} onClick=${act} ...${more}>${say(`answers.${name}`)}</button>
  `;
  return html`
    <article
      class="o-card-plain o-arena-section o-question"
      data-question=${id}
      data-state=${busy || (missing ? "open" : "answered")}
    >
      <div class="o-between">
        <h3>${text}</h3>
        <${IconButton} icon="trash" words=${say("answers.remove")} quiet onClick=${() => questions.remove(id)} />
      </div>
      ${
        media &&
        html`<div class="o-arena-given"><img src=${`/v1/media/${media}/thumbnail`} alt=${say("answers.about")} /></div>`
      }
      ${reference && html`<p class="o-hint">${say("answers.person", { reference })}</p>`}
      <div class="o-arena-answers">
        ${shuffled.map(
          (answer, index) => html`<${Answer}
            key=${answer.id}
            ...${answer}
            index=${index}
            named=${revealed.value}
            waits=${waits}
          />`,
        )}
      </div>
      <div class="o-arena-line">
        ${button("reveal", () => (revealed.value = !revealed.value), { "aria-pressed": String(revealed.value) })}
        ${missing && !busy && button("ask", () => questions.answer(id))}
        ${
          gradable &&
          html`
            <select ref=${judge} class="o-select" aria-label=${say("judging.judge")}>
              ${able.map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}
            </select>
            ${button("grade", () => questions.grade(id, judge.current.value), { disabled: Boolean(busy) })}
          `
        }
        <span class="o-hint" role="status">${busy ? say(`answers.${busy}`) : ""}</span>
      </div>
    </article>
  `;
}

/** `named` is whether it says whose it is, `waits` what is said of one that is not there. */
function Answer({ reasoner, text, thought, seconds, error, grades, index, named, waits }) {
  return html`
    <section class="o-answer" data-answer=${index} data-tone=${error ? "bad" : null}>
      <h4>
        <span>${named ? reasoner : String.fromCharCode(65 + index)}</span>
        ${named && seconds !== null && html`<small class="o-num">${duration(seconds)}</small>`}
      </h4>
      <p>${text ?? (error ? error.message : waits)}</p>
      ${thought && html`<details><summary>${say("answers.thought")}</summary><p>${thought}</p></details>`}
      ${grades.map(
        ({ judge, score, reason }) => html`
          <p class="o-grade"><b class="o-num">${`${score} / 5`}</b><span>${` ${judge}: ${reason}`}</span></p>
        `,
      )}
    </section>
  `;
}
