// Who is in control: several may watch, one orders. Where there is more than one robot, which one this page looks at.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html, useLayoutEffect } from "../vendor/preact.js";
import { robot } from "./link.js";

function Control({ element }) {
  const { there, mine, robots, name, now } = seen(robot);
  const { held, watchers } = now.control;
  const word = !there ? "none" : mine ? "mine" : held ? "held" : "free";
  useLayoutEffect(() => {
    element.dataset.control = word;
  }, [word]);
  return html`
    <div>
      <b role="status">${say(`control.${word}`)}</b>
      <small>${there && say("control.watchers", { count: watchers })}</small>
    </div>
    ${
      robots.length > 1 &&
      html`<select
        class="o-select"
        aria-label=${say("control.pick")}
        value=${name}
        onChange=${({ currentTarget }) => robot.pick(currentTarget.value)}
      >
        ${robots.map((one) => html`<option key=${one.name} value=${one.name}>${nameOf(one)}</option>`)}
      </select>`
    }
    <button
      type="button"
      class="o-btn"
      data-do="control"
      disabled=${!there || (held && !mine)}
      onClick=${() => robot.control(robot.mine ? "release" : "take")}
    >
      ${say(mine ? "control.release" : "control.take")}
    </button>
  `;
}

/** A robot, and how long its chunks take: several share one policy. */
function nameOf({ name, summary }) {
  const latency = summary?.latency_p95_s;
  return latency == null ? name : say("control.latency", { name, latency: latency.toFixed(2) });
}

define("o-robot-control", Control);
