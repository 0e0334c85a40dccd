// How the robot stands, in one word, colour and a sentence; below it what can be done about it.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { robot } from "./link.js";
import { nextRun, plan } from "./run.js";

/** Orders that go from a state; while something else is being done, none does. */
const FROM = {
  idle: ["self_test", "home"],
  ready: ["self_test", "home"],
  running: ["hold"],
  watching: ["hold"],
  holding: ["hold"],
  stopped: ["resume", "recover"],
  fault: ["recover"],
};
/** The letters that press them. */
const KEYS = { hold: "H", resume: "R", approve: "A", reject: "X", step: "N" };

function Standing() {
  const { standing, engaged, mine, busy, now } = seen(robot);
  const doing = engaged ? "" : busy;
  const { session } = now;
  const mode = now.session?.run?.mode ?? nextRun.value.mode;
  const may = mine && !busy ? allowed(standing, now.session) : [];
  // With keys, so that no button becomes another one under a finger.
  const row = (...commands) => html`
    <div key=${commands[0]} class="o-orders">
      ${commands.map((name) => html`<${Order} key=${name} command=${name} disabled=${!may.includes(name)} />`)}
    </div>
  `;
  return html`
    <div class="o-standing" role="status" data-standing=${doing ? "busy" : standing}>
      <div>
        <b>${doing ? say(`doing.${doing}`) : say(`standing.${standing}`)}</b>
        <span class="o-num">
          ${now.connected && now.summary && say("robot.rate", { rate: now.summary.rate_hz.toFixed(2) })}
        </span>
      </div>
      <p>${doing ? say(`busy.${doing}`) : sentence(standing, now.session)}</p>
    </div>
    ${
      session?.stop === "stale" &&
      standing === "stopped" &&
      html`<div key="fix" class="o-orders">
        <button type="button" class="o-btn o-fix" disabled=${!may.includes("recover")} onClick=${approveInstead}>
          ${say("slow.approve")}
        </button>
      </div>`
    }
    ${row("hold", "resume")}
    ${mode === "approve" && row("approve", "reject")}
    ${mode === "step" && row("step")}
    ${row("self_test", "home", "recover")}
  `;
}

// A person may take their time over each chunk, and so may the policy.
function approveInstead() {
  plan({ mode: "approve" });
  robot.tell("recover");
}

function Order({ command, disabled }) {
  const key = KEYS[command];
  return html`
    <button
      type="button"
      class="o-btn"
      data-do=${command}
      data-hot=${key && command}
      aria-keyshortcuts=${key}
      disabled=${disabled}
      onClick=${() => robot.tell(command)}
    >
      ${say(`robot.${command}`)}${key && html`<kbd aria-hidden="true">${key}</kbd>`}
    </button>
  `;
}

function allowed(standing, session) {
  const orders = [...(FROM[standing] ?? [])];
  if (standing === "stopped" && !session.run) orders.splice(0, 1);
  if (standing !== "holding") return orders;
  if (session.hold === "person" || session.hold === "divergence") return ["resume"];
  if (session.hold === "approval") return ["hold", "approve", "reject"];
  return session.hold === "step" ? ["hold", "step"] : orders;
}

function sentence(standing, session) {
  if (session?.hold === "divergence") return `${session.words} ${say("why.divergence")}`;
  if (standing === "holding") return say(`why.${session.hold ?? "policy"}`);
  if (standing === "stopped" || standing === "fault") return session.words;
  if (standing === "running" && session.run?.mode === "replay") return say("why.replaying");
  return say(`why.${standing}`);
}

define("o-robot-standing", Standing);
