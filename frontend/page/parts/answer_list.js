// A list of answers that is narrowed by selects and grows by a button.

import { html, useSignal } from "../vendor/preact.js";

/** How many answers are asked for, and by how many the button lets the list grow. */
export const PAGE = 10;

/**
 * `filters` are `{ name, options, signal, words }`, where `name` is said as a label; a change of one begins with the
 * first `PAGE` again, for which `count` is the signal. `found` is `{ total, shown }`, null before the first answer;
 * `more` says how many are left. `beside` stands before the selects.
 */
export function AnswerList({ title, beside = null, filters, count, found, nothing, more, children }) {
  const left = found ? found.total - found.shown : 0;
  return html`
    <section class="o-card-plain o-evaluate-answers" aria-label=${title}>
      <header>
        <h2>${title}</h2>
        <span class="o-grow" />
        ${beside}
        ${filters.map((filter) => html`<${Filter} key=${filter.name} ...${filter} changed=${() => (count.value = PAGE)} />`)}
      </header>
      ${found?.total === 0 && html`<p class="o-hint">${nothing}</p>`}
      <ol role="list">
        ${children}
      </ol>
      ${
        left > 0 &&
        html`<button type="button" class="o-btn" data-do="more" onClick=${() => (count.value += PAGE)}>${more(left)}</button>`
      }
    </section>
  `;
}

const Filter = ({ name, options, signal, words, changed }) => html`
  <select
    class="o-select"
    aria-label=${name}
    value=${signal.value}
    onChange=${({ target }) => {
      signal.value = target.value;
      changed();
    }}
  >
    ${options.map((value) => html`<option key=${value} value=${value}>${words(value)}</option>`)}
  </select>
`;

/** What was shown: an image, or a video once it is clicked, which `label` says. */
export function Medium({ id, label }) {
  const plays = useSignal(false);
  return plays.value
    ? html`<video src=${`/v1/media/${id}`} controls autoplay muted loop />`
    : html`
        <button type="button" aria-label=${label} onClick=${() => (plays.value = true)}>
          <img alt="" loading="lazy" src=${`/v1/media/${id}/thumbnail`} />
        </button>
      `;
}
