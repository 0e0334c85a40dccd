// Rating: one video, one question, three keys. The video stays while its questions change.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { voter } from "../data/voter.js";
import { Playback } from "../media/playback.js";
import { Player } from "../media/player.js";
import { IconButton } from "../parts/icons.js";
import { isTyping, useKeys } from "../parts/keyboard.js";
import { Meter } from "../parts/progress_bar.js";
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { hue } from "./store.js";

const ANSWERS = { y: "yes", n: "no", u: "unclear" };

export function HueRating({ study, opened }) {
  const { next, busy } = seen(hue);
  const node = useRef(null);
  const name = useRef(null);
  useKeys(node, key);
  if (!next) return null;

  const { card, num_left: left, num_done: done, last } = next;
  function rename() {
    hue.rename(name.current.value).then(() => {
      if (name.current) name.current.value = voter();
    });
  }
  return html`
    <section ref=${node} class="o-card-plain o-hue-rating" aria-label=${say("hue.view_rate")} data-done=${done}>
      <div class="o-acts o-hue-line">
        <label for="hue-rater">${say("hue.rater")}</label>
        <input
          ref=${name}
          class="o-select"
          id="hue-rater"
          maxlength="60"
          autocomplete="off"
          spellcheck=${false}
          defaultValue=${voter()}
          onChange=${rename}
        />
        <span class="o-hint" role="status">${say("hue.left", { done, left })}</span>
        <${Meter} share=${done + left ? done / (done + left) : 0} aria-label=${say("hue.done_share")} />
        <${IconButton}
          icon="restore"
          words=${say("hue.undo")}
          data-do="undo"
          aria-keyshortcuts="Backspace"
          disabled=${busy || !last}
          onClick=${() => hue.undo()}
        />
      </div>
      ${card && html`<${Card} card=${card} opened=${opened} />`}
      ${!card && html`<${Done} asked=${study.num_questions > 0} />`}
    </section>
  `;
}

const Done = ({ asked }) => html`
  <div class="o-empty">
    <b>${say(asked ? "hue.all_done" : "hue.unasked")}</b>
    <p>${say(asked ? "hue.all_done_hint" : "hue.unasked_hint")}</p>
    <button type="button" class="o-btn" onClick=${() => hue.look(asked ? "scores" : "questions")}>
      ${say(asked ? "hue.view_scores" : "hue.view_questions")}
    </button>
  </div>
`;

function Card({ card: { video, prompt, question }, opened }) {
  return html`
    <div class="o-hue-card" data-video=${video.id} data-question=${question.id}>
      <${Watched} key=${video.id} video=${video} opened=${opened} />
      <div class="o-hue-asked">
        <p class="o-hue-prompt-text" tabindex="0">${prompt}</p>
        <p class="o-hue-question" role="status">${question.text}</p>
        <div class="o-hue-answers">
          ${Object.entries(ANSWERS).map(
            ([letter, said]) => html`
              <button
                key=${said}
                type="button"
                class="o-btn"
                data-said=${said}
                aria-keyshortcuts=${letter.toUpperCase()}
                onClick=${() => hue.rate(said)}
              >
                ${say(`hue.${said}`)}<kbd aria-hidden="true">${letter.toUpperCase()}</kbd>
              </button>
            `,
          )}
        </div>
      </div>
    </div>
  `;
}

/** Plays from its beginning, again and again; not for whoever wants less motion. */
function Watched({ video, opened }) {
  const whole = useRef(null);
  const [playback] = useState(() => {
    const made = new Playback();
    made.take(video);
    return made;
  });
  useEffect(() => {
    if (!opened) playback.pause();
    else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) playback.play();
  }, [Boolean(opened)]);
  return html`
    <div ref=${whole} class="o-hue-video">
      <video ref=${playback.ref} src=${video.url} poster=${video.thumbnail_url} loop muted playsinline preload="auto" />
      <${Player} playback=${playback} whole=${whole} sound=${Boolean(video.has_sound)} idle=${!opened} />
    </div>
  `;
}

function key(event) {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (document.querySelector("dialog[open]")) return;
  const said = ANSWERS[event.key.toLowerCase()];
  if (said) hue.rate(said);
  else if (event.key === "Backspace") hue.undo();
  else return;
  event.preventDefault();
}
