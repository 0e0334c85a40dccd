// The questions of a study, prompt by prompt: people add and remove, a reasoner writes.

import { say } from "../data/facts.js";
import { IconButton } from "../parts/icons.js";
import { html, useSignal } from "../vendor/preact.js";
import { hue } from "./store.js";
import { HueWork } from "./work.js";

const DIMENSIONS = ["semantic_alignment", "physical_laws", "geometric_reasoning", "visual_integrity"];
const DOMAINS = ["common_sense", "av", "robotics", "industry", "human", "physics", "misc"];

export function HueBank({ study }) {
  const written = study.prompts.every((prompt) => prompt.written);
  return html`
    <section class="o-card-plain" aria-label=${say("hue.view_questions")}>
      <${HueWork}
        study=${study}
        task="questions"
        go=${say("hue.write")}
        hint=${say("hue.write_hint")}
        disabled=${written}
      />
      ${study.prompts.map((prompt) => html`<${Prompt} key=${prompt.id} study=${study} prompt=${prompt} />`)}
    </section>
  `;
}

function Prompt({ study, prompt }) {
  const questions = study.questions.filter((question) => question.prompt === prompt.id);
  return html`
    <article class="o-hue-prompt" data-prompt=${prompt.id} aria-label=${prompt.text}>
      <header>
        <h3>${prompt.text}</h3>
        <select
          class="o-select"
          aria-label=${say("hue.domain")}
          value=${prompt.domain ?? ""}
          onChange=${({ target }) => target.value && hue.setDomain(prompt.id, target.value)}
        >
          ${!prompt.domain && html`<option value="">${say("hue.undecided_domain")}</option>`}
          ${DOMAINS.map((name) => html`<option key=${name} value=${name}>${say(`hue.${name}`)}</option>`)}
        </select>
      </header>
      ${prompt.error && html`<p class="o-bad-words">${prompt.error.message}</p>`}
      ${questions.length === 0 && html`<p class="o-hint">${say("hue.no_questions")}</p>`}
      <ol>
        ${questions.map(
          ({ id, text, dimension, author }) => html`
            <li key=${id} data-question=${id}>
              <span>${text}<small>${say("hue.by", { dimension: say(`hue.${dimension}`), author })}</small></span>
              <${IconButton}
                icon="trash"
                words=${say("hue.drop")}
                quiet
                data-do="drop"
                onClick=${() => hue.dropQuestion(id)}
              />
            </li>
          `,
        )}
      </ol>
      <${Adding} prompt=${prompt.id} />
    </article>
  `;
}

function Adding({ prompt }) {
  const text = useSignal("");
  const dimension = useSignal(DIMENSIONS[0]);
  async function add(event) {
    event.preventDefault();
    if (await hue.addQuestion({ prompt, text: text.value, dimension: dimension.value })) text.value = "";
  }
  return html`
    <form class="o-acts o-hue-line" onSubmit=${add}>
      <input
        class="o-select"
        maxlength="240"
        autocomplete="off"
        required
        aria-label=${say("hue.question")}
        placeholder=${say("hue.question_hint")}
        value=${text.value}
        onInput=${({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <select
        class="o-select"
        aria-label=${say("hue.dimension")}
        value=${dimension.value}
        onChange=${({ target }) => (dimension.value = target.value)}
      >
        ${DIMENSIONS.map((name) => html`<option key=${name} value=${name}>${say(`hue.${name}`)}</option>`)}
      </select>
      <button type="submit" class="o-btn">${say("hue.add")}</button>
    </form>
  `;
}
