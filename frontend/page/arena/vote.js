// Voting: two results of one request but for one thing, side by side under one playhead, and the ballot below.

import { Ballot, choiceOf } from "./ballot.js";
import { fieldName } from "./store.js";
import { voting } from "./voting.js";
import { places, say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { seen } from "../data/store.js";
import { voter } from "../data/voter.js";
import { IconButton } from "../parts/icons.js";
import { isTyping, useKeys } from "../parts/keyboard.js";
import { cellOf } from "../playhead/cells.js";
import { html, useEffect, useRef } from "../vendor/preact.js";

const STEPS = ["make", "change", "vote"];
const WAYS = ["compare", "image", "video"];

export function ArenaVote({ opened }) {
  const node = useRef(null);
  const name = useRef(null);
  const { state, pair, tally } = seen(voting);
  seen(lost);
  useEffect(() => {
    if (opened) voting.begin();
  }, [opened]);
  useKeys(node, key);

  function rename() {
    voting.rename(name.current.value);
    name.current.value = voter();
  }
  const left = tally?.num_left.toLocaleString();
  return html`
    <o-arena-vote ref=${node} data-state=${state} data-pair=${pair?.id}>
      <div class="o-arena-line">
        <label for="arena-voter">${say("arena.voter")}</label>
        <input
          ref=${name}
          class="o-select"
          id="arena-voter"
          maxlength="60"
          autocomplete="off"
          spellcheck=${false}
          defaultValue=${voter()}
          onChange=${rename}
        />
        <span class="o-count" role="status">
          ${tally?.num_pairs ? say("arena.left", { left, pairs: tally.num_pairs.toLocaleString() }) : ""}
        </span>
      </div>
      ${state === "empty" && html`<${Empty} />`}
      ${
        state === "done" &&
        html`
          <div class="o-card-plain o-empty">
            <b>${say("arena.all_done")}</b>
            <p>${say("arena.all_done_hint")}</p>
            <a class="o-btn" href=${`${places.arena.path}#ranking`}>${say("arena.see_ranking")}</a>
          </div>
        `
      }
      ${pair && html`<${Work} ...${pair} />`}
    </o-arena-vote>
  `;
}

function Work({ id, prompt, given, kind, axes, left, right }) {
  const { vote, over, whole, choices, marked, casting } = voting;
  const values = vote ? voting.sides.map(({ value }) => value) : [say("choice.left"), say("choice.right")];
  const cells = [left, right].map((side, column) => cellOf(side, { column, label: values[column] }));
  const told = vote
    ? say("arena.was", { field: fieldName(vote.contest), left: values[0], right: values[1] })
    : say(over ? "arena.lost" : whole ? "arena.can_cast" : "arena.needs_overall");
  const picture = (media) => html`
    <img src=${`/v1/media/${media}/thumbnail`} alt=${say("arena.given")} title=${say("arena.given")} />
  `;
  const answer = ({ text }, index) => html`
    <section class="o-card-plain o-answer"><h3>${values[index]}</h3><p>${text}</p></section>
  `;
  return html`
    <div class="o-arena-work">
      <div class="o-arena-asked o-card-plain">
        ${given.length > 0 && html`<div class="o-arena-given">${given.map(picture)}</div>`}
        <p class="o-arena-prompt" tabindex="0">${prompt}</p>
      </div>
      ${
        kind === "answer"
          ? html`<div class="o-arena-answers">${[left, right].map(answer)}</div>`
          : html`<div class="o-arena-stage"><o-playhead key=${id} grid=${{ columns: values, cells }} /></div>`
      }
      <section class="o-card-plain o-arena-ballot" aria-label=${say("arena.ballot")}>
        <${Ballot}
          axes=${axes}
          choices=${choices}
          marked=${marked}
          locked=${over}
          choose=${(axis, choice) => voting.choose(axis, choice)}
          mark=${(index) => voting.mark(index)}
        />
        <div class="o-arena-acts">
          <p class="o-arena-told" role="status">${told}</p>
          ${
            vote &&
            html`<${IconButton}
              icon="restore"
              words=${say("arena.take_back")}
              data-do="undo"
              aria-keyshortcuts="U"
              onClick=${() => voting.revoke()}
            />`
          }
          ${
            !over &&
            html`
              <button
                type="button"
                class="o-btn"
                data-do="skip"
                aria-keyshortcuts="N"
                onClick=${() => voting.skip()}
              >
                ${say("arena.skip")}<kbd aria-hidden="true">N</kbd>
              </button>
            `
          }
          <button
            type="button"
            class="o-btn o-primary"
            data-do="cast"
            disabled=${casting || (!over && !whole)}
            onClick=${() => voting.go()}
          >
            <span>${say(over ? "arena.next" : "arena.cast")}</span><kbd aria-hidden="true">↵</kbd>
          </button>
        </div>
      </section>
    </div>
  `;
}

/** While there is nothing to vote on: what a pair is, and how to come by one. */
const Empty = () => html`
  <div class="o-card-plain o-empty o-arena-empty">
    <b>${say("arena.empty")}</b>
    <p>${say("arena.empty_hint")}</p>
    <ol>
      ${STEPS.map((step) => html`<li><b>${say(`teach.${step}`)}</b><span>${say(`teach.${step}_hint`)}</span></li>`)}
    </ol>
    <div class="o-arena-ways">
      ${WAYS.filter((name) => places[name]).map(
        (name) => html`<a class="o-btn" href=${places[name].path}>${places[name].title}</a>`,
      )}
    </div>
  </div>
`;

function key(event) {
  const { pair, vote, marked } = voting;
  if (!pair || event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (document.querySelector("dialog[open]")) return;
  const pressed = event.key.toLowerCase();
  const on = (selector) => event.target.closest?.(selector);
  const choice = choiceOf(pressed);
  const by = { arrowup: -1, arrowdown: 1 }[pressed];
  if (pressed === "n") voting.skip();
  else if (pressed === "u") voting.revoke();
  // On another button, a link or a tab, Enter is that one's.
  else if (pressed === "enter" && (!on("button, a, summary") || on(".o-ballot, [data-do=cast]"))) voting.go();
  else if (on("[role=tab], select, input") || vote) return;
  else if (choice) voting.choose(pair.axes[marked], choice);
  else if (by) voting.mark((marked + by + pair.axes.length) % pair.axes.length);
  else return;
  event.preventDefault();
}
