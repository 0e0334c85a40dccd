// The arena: voting, what came of it, and the same questions for several reasoners. The address says which is open.

import { ArenaAnswers } from "./answers.js";
import { ArenaRanking } from "./ranking.js";
import { ArenaVote } from "./vote.js";
import { say } from "../data/facts.js";
import { define } from "../parts/element.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const TABS = { vote: ArenaVote, ranking: ArenaRanking, answers: ArenaAnswers };
const NAMES = Object.keys(TABS);

function Arena() {
  const opened = useSignal(1); // how often a tab was
  useEffect(() => addEventListener("hashchange", () => (opened.value += 1)), []);
  const named = location.hash.slice(1);
  const current = NAMES.includes(named) ? named : NAMES[0];

  function open(name) {
    history.replaceState(null, "", `${location.pathname}${location.search}#${name}`);
    opened.value += 1;
  }

  function key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const tabs = event.currentTarget.children;
    const to = (NAMES.indexOf(current) + by + NAMES.length) % NAMES.length;
    open(NAMES[to]);
    tabs[to].focus();
  }

  return html`
    <div class="o-arena-tabs" role="tablist" aria-label=${say("arena.tabs")} onKeyDown=${key}>
      ${NAMES.map(
        (name) => html`
          <button
            type="button"
            role="tab"
            id=${`arena-tab-${name}`}
            aria-controls=${`arena-${name}`}
            aria-selected=${String(name === current)}
            tabindex=${name === current ? 0 : -1}
            onClick=${() => open(name)}
          >
            ${say(`arena.tab_${name}`)}
          </button>
        `,
      )}
    </div>
    ${NAMES.map(
      (name) => html`
        <div role="tabpanel" id=${`arena-${name}`} aria-labelledby=${`arena-tab-${name}`} hidden=${name !== current}>
          <${TABS[name]} opened=${name === current ? opened.value : 0} />
        </div>
      `,
    )}
  `;
}

define("o-arena", Arena);
