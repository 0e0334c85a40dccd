// Log, self-test and recordings behind three tabs; a self-test brings its own to the front when it says something.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html, signal } from "../vendor/preact.js";
import { Episodes } from "./episodes.js";
import { robot } from "./link.js";

const LISTS = { log: Log, checks: Checks, episodes: Episodes };
const NAMES = Object.keys(LISTS);
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

const shown = signal("log");
robot.addEventListener("check", () => (shown.value = "checks"));

function Panel() {
  const step = (event) => {
    const by = STEPS[event.key];
    if (!by) return;
    const next = (NAMES.indexOf(shown.value) + by + NAMES.length) % NAMES.length;
    event.currentTarget.children[next].focus();
    shown.value = NAMES[next];
  };
  return html`
    <div class="o-tabs" role="tablist" aria-label=${say("panel.label")} onKeyDown=${step}>
      ${NAMES.map(
        (name) => html`<button
          type="button"
          role="tab"
          id=${`robot-tab-${name}`}
          aria-controls=${`robot-list-${name}`}
          aria-selected=${String(name === shown.value)}
          tabindex=${name === shown.value ? 0 : -1}
          onClick=${() => (shown.value = name)}
        >
          ${say(`panel.${name}`)}
        </button>`,
      )}
    </div>
    ${NAMES.map(
      (name) => html`<div
        role="tabpanel"
        id=${`robot-list-${name}`}
        aria-labelledby=${`robot-tab-${name}`}
        tabindex="0"
        hidden=${name !== shown.value}
      >
        <${LISTS[name]} shown=${name === shown.value} />
      </div>`,
    )}
  `;
}

/** What a person should read, newest first. */
function Log() {
  const { lines } = seen(robot);
  return html`
    <div role="log" class="o-lines" aria-label=${say("panel.log")}>
      ${
        lines.length
          ? html`<ul>
              ${lines.map(
                ({ at, code, words }) => html`<li key=${`${at.getTime()} ${words}`} data-code=${code}>
                  <time>${at.toLocaleTimeString([], { hour12: false })}</time>${words}
                </li>`,
              )}
            </ul>`
          : html`<p class="o-none">${say("panel.log_empty")}</p>`
      }
    </div>
  `;
}

/** What the self-test found; what it cannot see itself, a person confirms. */
function Checks() {
  const { now, mine } = seen(robot);
  return html`
    <div class="o-checks" aria-live="polite">
      ${
        now.checks.size
          ? html`<ul>
              ${[...now.checks.values()].map(
                ({ name, outcome, words }) => html`<li key=${name} data-outcome=${outcome}>
                  <b>${name}</b><em>${say(`outcome.${outcome}`)}</em><span>${words}</span>
                  ${
                    outcome === "ask" &&
                    html`<button
                      type="button"
                      class="o-btn"
                      disabled=${!mine}
                      onClick=${() => robot.tell("confirm", { check: name })}
                    >
                      ${say("check.confirm")}
                    </button>`
                  }
                </li>`,
              )}
            </ul>`
          : html`<p class="o-none">${say("panel.checks_empty")}</p>`
      }
    </div>
  `;
}

define("o-robot-panel", Panel);
