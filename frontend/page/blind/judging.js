// Judging: both episodes of a pair side by side, a progress for each, and one of three keys.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { voter } from "../data/voter.js";
import { IconButton } from "../parts/icons.js";
import { isTyping } from "../parts/keyboard.js";
import { Meter } from "../parts/progress_bar.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { blind } from "./store.js";

const VERDICTS = { 1: "first", 0: "tie", 2: "second" };
const SIDES = ["first", "second"];
const STEPS = { q: [0, -1], w: [0, 1], o: [1, -1], p: [1, 1] }; // side, and which way
const STEP = 0.1;

export function BlindJudging({ test }) {
  const { next, busy } = seen(blind);
  const name = useRef(null);
  if (!next) return null;
  const { card, num_left: left, num_done: done, last } = next;
  function rename() {
    blind.rename(name.current.value).then(() => {
      if (name.current) name.current.value = voter();
    });
  }
  return html`
    <section class="o-card-plain o-hue-rating" aria-label=${say("blind.view_judge")} data-done=${done}>
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

/** Also without a card the last verdict can be taken back by its key. */
function useKeys(node, act) {
  useEffect(() => {
    const hear = (event) => {
      if (!node.current?.offsetParent || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event) || document.querySelector("dialog[open]")) return;
      if (act(event.key.toLowerCase())) event.preventDefault();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}

function undoes(key) {
  if (key !== "backspace") return false;
  blind.undo();
  return true;
}

function Done({ test }) {
  const node = useRef(null);
  useKeys(node, undoes);
  const judged = test.num_pairs > 0;
  return html`
    <div ref=${node} class="o-empty">
      <b>${say(judged ? "blind.all_done" : "blind.no_pairs")}</b>
      <p>${say(judged ? "blind.all_done_hint" : "blind.no_pairs_hint")}</p>
      <button type="button" class="o-btn" onClick=${() => blind.look(judged ? "scores" : "add")}>
        ${say(judged ? "blind.view_scores" : "blind.view_add")}
      </button>
    </div>
  `;
}

function Card({ card }) {
  const node = useRef(null);
  const progress = useSignal([0, 0]);
  const set = (side, value) => {
    const share = Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
    progress.value = progress.value.map((old, index) => (index === side ? share : old));
  };
  useKeys(node, (key) => {
    if (key in STEPS) {
      const [side, way] = STEPS[key];
      set(side, progress.value[side] + way * STEP);
      return true;
    }
    if (!(key in VERDICTS)) return undoes(key);
    blind.judge(VERDICTS[key], progress.value);
    return true;
  });
  return html`
    <div ref=${node} data-pair=${card.pair}>
      <p class="o-hue-question" role="status">${card.task}</p>
      <div class="o-blind-sides">
        ${SIDES.map(
          (side, index) => html`
            <figure key=${side} data-side=${side}>
              <figcaption>${say(`blind.${side}`)}</figcaption>
              ${card.sides[index].map((video) => html`<${Watched} key=${video.id} video=${video} name=${side} />`)}
              <label>
                <span>${say("blind.progress")} <b class="o-num">${Math.round(100 * progress.value[index])} %</b></span>
                <input
                  type="range"
                  min="0"
                  max="1"
                  step="0.05"
                  value=${progress.value[index]}
                  aria-label=${say(`blind.progress_${side}`)}
                  onInput=${({ target }) => set(index, Number(target.value))}
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
              onClick=${() => blind.judge(VERDICTS[key], progress.value)}
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
