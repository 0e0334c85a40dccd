// What is wrong with which video: answered questions, those that people decided No first.

import { counted, say } from "../data/facts.js";
import { ask } from "../parts/server.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const PAGE = 10;
const SAID = ["no", "unclear", "yes", ""];

export function HueAnswers({ study }) {
  const model = useSignal("");
  const said = useSignal(SAID[0]);
  const count = useSignal(PAGE);
  const found = useSignal(null); // { total, answers }
  useEffect(() => {
    let current = true;
    const query = new URLSearchParams({ model: model.value, limit: String(count.value) });
    if (said.value) query.set("said", said.value);
    ask("GET", `/v1/hue/${study.id}/ratings?${query}`).then((page) => {
      if (current && page) found.value = page;
    });
    return () => {
      current = false;
    };
  }, [study.num_ratings, study.num_questions, model.value, said.value, count.value]);
  const select = (name, options, signal, words) => html`
    <select
      class="o-select"
      aria-label=${say(`hue.by_${name}`)}
      value=${signal.value}
      onChange=${({ target }) => {
        signal.value = target.value;
        count.value = PAGE;
      }}
    >
      ${options.map((value) => html`<option key=${value} value=${value}>${words(value)}</option>`)}
    </select>
  `;
  return html`
    <section class="o-card-plain o-evaluate-answers" aria-label=${say("hue.wrong")}>
      <header>
        <h2>${say("hue.wrong")}</h2>
        <span class="o-grow" />
        ${select("model", ["", ...study.models], model, (name) => name || say("hue.all_models"))}
        ${select("said", SAID, said, (name) => say(`hue.said_${name || "all"}`))}
      </header>
      ${found.value?.total === 0 && html`<p class="o-hint">${say("hue.nothing")}</p>`}
      <ol role="list">
        ${found.value?.answers.map(
          (answer) => html`<${Answered} key=${`${answer.video.id} ${answer.question.id}`} answer=${answer} />`,
        )}
      </ol>
      ${
        found.value &&
        found.value.answers.length < found.value.total &&
        html`<button type="button" class="o-btn" data-do="more" onClick=${() => (count.value += PAGE)}>
          ${counted("hue.more", found.value.total - found.value.answers.length)}
        </button>`
      }
    </section>
  `;
}

function Answered({ answer: { video, prompt, question, decided, ratings } }) {
  const plays = useSignal(false);
  return html`
    <li data-video=${video.id}>
      <div class="o-evaluate-media">
        ${
          plays.value
            ? html`<video src=${`/v1/media/${video.id}`} controls autoplay muted loop />`
            : html`
                <button type="button" aria-label=${say("hue.play")} onClick=${() => (plays.value = true)}>
                  <img alt="" loading="lazy" src=${`/v1/media/${video.id}/thumbnail`} />
                </button>
              `
        }
      </div>
      <div class="o-evaluate-said">
        <p><b>${question.text}</b> ${decided ? say(`hue.${decided}`) : say("hue.undecided")}</p>
        <p><small>${[video.model, say(`hue.${question.dimension}`), prompt].join(" · ")}</small></p>
        <ul role="list" class="o-evaluate-choices">
          ${ratings.map(
            ({ id, rater, said, reason }) =>
              html`<li key=${id}>${rater}: ${say(`hue.${said}`)} <small>${reason}</small></li>`,
          )}
        </ul>
      </div>
    </li>
  `;
}
