// One of several, as chips of a radio group: the arrows move and choose.

import { html } from "../vendor/preact.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * `options` are `{ value, title, help, why }`; one with a `why` is refused, and can be reached to hear it. `mark` names
 * the attribute that holds a chip's value; everything else is the group's own.
 */
export function Choice({ options, value, choose, mark = "data-value", fixed = false, described, ...group }) {
  const chosen = options.findIndex((option) => option.value === value);
  function take(chip, { value: wanted, why }) {
    chip.focus();
    if (!why && !fixed) choose(wanted);
  }
  // Arrows reach refused options too, so that the keyboard hears why; they are passed over, not chosen.
  function onKeyDown(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const chips = [...event.currentTarget.children];
    const to = (chips.indexOf(event.target) + step + chips.length) % chips.length;
    take(chips[to], options[to]);
  }
  return html`
    <div class="o-chip-group" role="radiogroup" onKeyDown=${onKeyDown} ...${group}>
      ${options.map(
        (option, index) => html`<button
          key=${option.value}
          type="button"
          class="o-chip"
          role="radio"
          ...${{ [mark]: String(option.value) }}
          title=${option.help ?? null}
          aria-checked=${String(index === chosen)}
          aria-disabled=${option.why || fixed ? "true" : null}
          aria-describedby=${option.why ? described : null}
          data-why=${option.why || null}
          tabindex=${index === Math.max(chosen, 0) ? 0 : -1}
          onClick=${({ currentTarget }) => take(currentTarget, option)}
        >
          ${option.title}
        </button>`,
      )}
    </div>
  `;
}
