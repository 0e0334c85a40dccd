// A page in two columns: what is begun and listed, and what was chosen of it; below each other where it is narrow.

import { html } from "../vendor/preact.js";

const NARROW = "(max-width: 860px)";

/** With `mainFirst`, what was chosen stands above the list on a narrow page. */
export const Columns = ({ side, mainFirst = false, class: more = "", children }) => html`
  <div class=${`o-columns ${more}`.trim()} data-main-first=${mainFirst ? "" : null}>
    <div class="o-side">${side}</div>
    <div class="o-main">${children}</div>
  </div>
`;

/** What was begun so far; `children` are its rows, each with a button of the class `o-listed-row`. */
export const Listed = ({ title, children }) => html`
  <section class="o-card-plain o-listed" aria-label=${title}>
    <h2>${title}</h2>
    <ul role="list">${children}</ul>
  </section>
`;

/** Above what was chosen: its name, and its views as chips. */
export const Head = ({ title, label, views, view, look, words }) => html`
  <header class="o-head">
    <h2 title=${title}>${title}</h2>
    <div class="o-chip-group" role="group" aria-label=${label}>
      ${views.map(
        (name) => html`
          <button
            key=${name}
            type="button"
            class="o-chip"
            data-view=${name}
            aria-pressed=${String(name === view)}
            onClick=${() => look(name)}
          >
            ${words(name)}
          </button>
        `,
      )}
    </div>
  </header>
`;

/** Scroll to what was chosen, where it stands below the list. */
export function showMain() {
  if (matchMedia(NARROW).matches) document.querySelector(".o-main").scrollIntoView();
}
