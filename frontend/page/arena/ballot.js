// The ballot: a question a line, four answers each. One line is marked; a key answers it and marks the next.

import { say } from "../data/facts.js";
import { html } from "../vendor/preact.js";

const CHOICES = { left: "1", tie: "0", right: "2", bad: "B" }; // with the key of each

/** What a key chooses, if it chooses. */
export const choiceOf = (key) => Object.keys(CHOICES).find((choice) => CHOICES[choice].toLowerCase() === key);

/** `choices` by axis; `marked` is the place of the line that keys answer. */
export const Ballot = ({ axes, choices, marked, locked, choose, mark }) => html`
  <div class="o-ballot" data-locked=${locked ? "true" : null}>
    ${axes.map(
      (axis, index) => html`
        <div
          key=${axis}
          class="o-ballot-line"
          data-axis=${axis}
          data-marked=${index === marked ? "true" : null}
          onPointerDown=${() => mark(index)}
        >
          <span class="o-ballot-title" id=${`ballot-${axis}`}>
            <b>${say(`axis.${axis}`)}</b><small>${say(`asks.${axis}`)}</small>
          </span>
          <span class="o-ballot-choices" role="radiogroup" aria-labelledby=${`ballot-${axis}`} onKeyDown=${arrows}>
            ${Object.entries(CHOICES).map(
              ([choice, key]) => html`
                <button
                  type="button"
                  role="radio"
                  class="o-btn"
                  data-choice=${choice}
                  aria-keyshortcuts=${key}
                  aria-checked=${String(choices[axis] === choice)}
                  tabindex=${choice === (choices[axis] ?? "left") ? 0 : -1}
                  disabled=${locked}
                  onClick=${() => choose(axis, choice)}
                >
                  ${say(`choice.${choice}`)}<kbd aria-hidden="true">${key}</kbd>
                </button>
              `,
            )}
          </span>
        </div>
      `,
    )}
  </div>
`;

// Within a line, left and right move between its answers, as in any group of radio buttons.
function arrows(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = [...event.currentTarget.children];
  buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length].focus();
}
