// How good an item is, 1 to 5; the number that it has takes it away again.

import { say } from "../data/facts.js";
import { html } from "../vendor/preact.js";

const NUMBERS = [1, 2, 3, 4, 5];

export const Rating = ({ rating, rate }) => html`
  <div class="o-rating">
    <span>${say("peek.rating")}</span>
    <div class="o-views" role="group" aria-label=${say("peek.rating")}>
      ${NUMBERS.map(
        (number) => html`
          <button
            type="button"
            class="o-btn o-num"
            data-rating=${number}
            aria-pressed=${String(number === rating)}
            aria-label=${say("peek.rate", { number })}
            onClick=${() => rate(number === rating ? 0 : number)}
          >
            ${number}
          </button>
        `,
      )}
    </div>
  </div>
`;
