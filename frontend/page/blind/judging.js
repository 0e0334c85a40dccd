// Judging: both episodes of a pair side by side, a progress for each, and one of three keys.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { voter } from "../data/voter.js";
import { IconButton } from "../parts/icons.js";
import { isTyping, useKeys } from "../parts/keyboard.js";
import { Meter } from "../parts/progress_bar.js";
import { html, useRef } from "../vendor/preact.js";
import { blind } from "./store.js";

const VERDICTS = { 1: "first", 0: "tie", 2: "second" };
const SIDES = ["first", "second"];
const STEPS = { q: [0, -1], w: [0, 1], o: [1, -1], p: [1, 1] }; // side, and which way
const STEP = 0.1;

export function BlindJudging({ test }) {
  const { next, busy } = seen(blind);
  const node = useRef(null);
  const name = useRef(null);
  useKeys(node, key);
  if (!next) return null;
  const { card, num_left: left, num_done: done, last } = next;
  function rename() {
    blind.rename(name.current.value).then(() => {
      if (name.current) name.current.value = voter();
    });
  }
  return html`
    <section ref=${node} class="o-card-plain o-hue-rating" aria-label=${say("blind.view_judge")} data-done=${done}>
      <div class="o-acts o-hue-line">
        <label for="blind-rater">${say("blind.rater")}</label>
        <input
          ref=${name}
          class="o-select"
          id="blind-rater"
          maxlength="60"
          autocomplete="off"
          spellcheck=${false}
          defaultValue=${voter()}
          onChange=${rename}
        />
        <span class="o-hint" role="status">${say("blind.left", { done, left })}</span>
        <${Meter} share=${done + left ? done / (done + left) : 0} aria-label=${say("blind.done_share")} />
        <${IconButton}
          icon="restore"
          words=${say("blind.undo")}
          data-do="undo"
          aria-keyshortcuts="Backspace"
          disabled=${busy || !last}
          onClick=${() => blind.undo()}
        />
      </div>
      ${card ? html`<${Card} key=${card.pair} card=${card} />` : html`<${Done} test=${test} />`}
    </section>
  `;
}

/** The keys follow the store and not what is drawn: drawing waits for a frame, and keys do not. */
function key(event) {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event) || document.querySelector("dialog[open]")) return;
  const pressed = event.key.toLowerCase();
  if (pressed in STEPS) {
    const [side, way] = STEPS[pressed];
    blind.setProgress(side, blind.progress[side] + way * STEP);
  } else if (pressed in VERDICTS) blind.judge(VERDICTS[pressed]);
  else if (pressed === "backspace") blind.undo();
  else return;
  event.preventDefault();
}

function Done({ test }) {
  const judged = test.num_pairs > 0;
  return html`
    <div class="o-empty">
      <b>${say(judged ? "blind.all_done" : "blind.no_pairs")}</b>
      <p>${say(judged ? "blind.all_done_hint" : "blind.no_pairs_hint")}</p>
      <button type="button" class="o-btn" onClick=${() => blind.look(judged ? "scores" : "add")}>
        ${say(judged ? "blind.view_scores" : "blind.view_add")}
      </button>
    </div>
  `;
}

function Card({ card }) {
  return html`
    <div data-pair=${card.pair}>
      <p class="o-hue-question" role="status">${card.task}</p>
      <div class="o-blind-sides">
        ${SIDES.map(
          (side, index) => html`
            <figure key=${side} data-side=${side}>
              <figcaption>${say(`blind.${side}`)}</figcaption>
              ${card.sides[index].map((video) => html`<${Watched} key=${video.id} video=${video} name=${side} />`)}
              <label>
                <span>${say("blind.progress")} <b class="o-num">${Math.round(100 * blind.progress[index])} %</b></span>
                <input
                  type="range"
                  min="0"
                  max="1"
                  step="0.05"
                  value=${blind.progress[index]}
                  aria-label=${say(`blind.progress_${side}`)}
                  onInput=${({ target }) => blind.setProgress(index, Number(target.value))}
                />
              </label>
            </figure>
          `,
        )}
      </div>
      <div class="o-hue-answers">
        ${["1", "0", "2"].map(
          (key) => html`
            <button
              key=${key}
              type="button"
              class="o-btn"
              data-better=${VERDICTS[key]}
              aria-keyshortcuts=${key}
              onClick=${() => blind.judge(VERDICTS[key])}
            >
              ${say(`blind.better_${VERDICTS[key]}`)}<kbd aria-hidden="true">${key}</kbd>
            </button>
          `,
        )}
      </div>
    </div>
  `;
}

/** Plays from its beginning, again and again; not for whoever wants less motion. */
const Watched = ({ video, name }) => html`
  <video
    src=${video.url}
    poster=${video.thumbnail_url}
    controls
    autoplay=${!matchMedia("(prefers-reduced-motion: reduce)").matches}
    loop
    muted
    playsinline
    aria-label=${say(`blind.${name}`)}
  />
`;
