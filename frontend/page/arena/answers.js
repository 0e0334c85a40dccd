// The same questions for several reasoners: put them, see the answers side by side, have them graded, or vote on them
// blind.

import { QuestionCard } from "./question.js";
import { arena, questions } from "./store.js";
import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { IconButton } from "../parts/icons.js";
import { pickFromLibrary } from "../media/library_picker.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

export function ArenaAnswers({ opened }) {
  const { found } = seen(questions);
  useEffect(() => {
    if (!opened) return;
    arena.askReasoners();
    questions.ask();
  }, [opened]);
  return html`
    <o-arena-answers data-count=${found?.questions.length}>
      <${QuestionForm} />
      ${found?.grades.length > 0 && html`<${Means} grades=${found.grades} />`}
      ${found?.questions.length === 0 && html`<p class="o-hint">${say("answers.none")}</p>`}
      <div class="o-questions">
        ${found?.questions.map((question) => html`<${QuestionCard} key=${question.id} ...${question} />`)}
      </div>
    </o-arena-answers>
  `;
}

function QuestionForm() {
  const text = useSignal("");
  const reference = useSignal("");
  const media = useSignal(null);
  const chosen = useSignal(null); // names of reasoners, once somebody has chosen
  const busy = useSignal(false);
  const { reasoners } = seen(arena);
  const who = chosen.value ?? reasoners.filter(({ ready }) => ready).map(({ name }) => name);

  async function pick() {
    media.value = media.value ? null : await pickFromLibrary(["image", "video"]);
  }

  async function submit(event) {
    event.preventDefault();
    const given = media.value ? { media: media.value.id } : {};
    busy.value = true;
    const taken = await questions.put({ text: text.value, reference: reference.value, ...given }, who);
    busy.value = false;
    if (taken) text.value = reference.value = "";
  }

  const field = (name, value) => html`
    <div>
      <label for=${`arena-${name}`}><b>${say(`answers.${name}`)}</b></label>
      <textarea
        id=${`arena-${name}`}
        class="o-select"
        rows="2"
        placeholder=${say(`answers.${name}_hint`)}
        value=${value.value}
        onInput=${({ currentTarget }) => (value.value = currentTarget.value)}
      />
    </div>
  `;
  const box = ({ name, title, ready }) => html`
    <label key=${name} class="o-chip">
      <input
        type="checkbox"
        value=${name}
        checked=${who.includes(name)}
        onChange=${({ currentTarget: { checked } }) =>
          (chosen.value = [...who.filter((other) => other !== name), ...(checked ? [name] : [])])}
      />
      ${ready ? title : say("judging.not_loaded", { title })}
    </label>
  `;
  const { thumbnail_url: src, title, prompt } = media.value ?? {};
  return html`
    <form class="o-card-plain o-arena-section o-arena-form" onSubmit=${submit}>
      <h2>${say("answers.title")}</h2>
      <p class="o-hint">${say("answers.hint")}</p>
      <div class="o-arena-fields">${field("question", text)}${field("reference", reference)}</div>
      <div class="o-arena-line">
        <${IconButton}
          icon="search"
          words=${say(media.value ? "answers.unpick" : "answers.pick")}
          data-do="pick"
          onClick=${pick}
        />
        ${media.value && html`<div class="o-arena-given"><img src=${src} alt=${title || prompt} /></div>`}
        <div class="o-arena-who" role="group" aria-label=${say("answers.who")}>${reasoners.map(box)}</div>
        <span class="o-grow" />
        <button type="submit" class="o-btn o-primary" data-do="put" disabled=${busy.value}>${say("answers.put")}</button>
      </div>
    </form>
  `;
}

const Means = ({ grades }) => html`
  <section class="o-card-plain o-arena-section">
    <h2>${say("answers.means")}</h2>
    <ul class="o-agreement">
      ${grades.map(
        ({ reasoner, judge, mean, low, high, num_answers: num }) => html`
          <li>
            <span>${say("answers.graded", { reasoner, judge })}</span>
            <b class="o-num">${mean.toFixed(1)}</b>
            <small class="o-num">${say("answers.mean", { low: low.toFixed(1), high: high.toFixed(1), num })}</small>
          </li>
        `,
      )}
    </ul>
  </section>
`;
