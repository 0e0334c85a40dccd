// The recorded runs: watched again, exported, marked by a person as worked or failed, and replayed.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { html, signal, useEffect } from "../vendor/preact.js";
import { shut, watch } from "./episode.js";
import { robot } from "./link.js";
import { exportAddress, listEpisodes } from "../data/recordings.js";
import { nextRun, plan } from "./run.js";

const FRAMES_PER_SECOND = 15;
const ASKED_EVERY_TICKS = 30;

const found = signal(null); // what the robot answered, or null before it did
robot.addEventListener("hello", () => {
  found.value = null;
  shut();
});

async function look() {
  const { name } = robot;
  const answer = await listEpisodes(name).catch(() => null); // what cannot be told now is asked again
  if (answer && name === robot.name) found.value = answer;
}

async function mark({ index, success }, told) {
  await robot.tell("mark", { episode: index, success: success === told ? null : told });
  look();
}

export function Episodes({ shown }) {
  const { now, name, engaged, mine } = seen(robot);
  // Asked while the list is looked at, again when a run has begun or ended, and every two seconds besides: an episode
  // is written for a while after its run.
  const spell = Math.floor((now.summary?.num_ticks ?? 0) / ASKED_EVERY_TICKS);
  const moment = shown && now.connected && `${name} ${engaged} ${now.session?.epoch} ${spell}`;
  useEffect(() => {
    if (moment) look();
  }, [moment, now.hello]);

  if (!found.value?.episodes.length) {
    return html`<div class="o-episodes"><p class="o-none">${say("panel.episodes_empty")}</p></div>`;
  }
  return html`
    <div class="o-episodes">
      <p>
        ${found.value.num_judged > 0 && rate(found.value)}
        <a class="o-btn" href=${exportAddress(name)} download="recordings.tar" title=${say("episode.export_hint")}>
          ${say("episode.export")}
        </a>
      </p>
      <ul>
        ${found.value.episodes
          .toReversed()
          .map((episode) => html`<${Episode} key=${episode.index} episode=${episode} mine=${mine} />`)}
      </ul>
    </div>
  `;
}

function Episode({ episode, mine }) {
  const { index, task, num_frames: frames, ended, success } = episode;
  const button = (name, pressed, act) => html`
    <button type="button" class="o-btn" aria-pressed=${String(pressed)} disabled=${!mine} onClick=${act}>
      ${say(`episode.${name}`)}
    </button>
  `;
  return html`
    <li>
      <b>${`${index}  ${task || say("episode.untold")}`}</b>
      <small>${say("episode.line", { seconds: (frames / FRAMES_PER_SECOND).toFixed(1), ended })}</small>
      <span>
        <button type="button" class="o-btn" onClick=${() => watch(robot.name, index)}>${say("episode.watch")}</button>
        ${button("worked", success === true, () => mark(episode, true))}
        ${button("failed", success === false, () => mark(episode, false))}
        ${button("replay", nextRun.value.episode === index, () => plan({ mode: "replay", episode: index }))}
      </span>
    </li>
  `;
}

function rate({ num_successes: successes, num_judged: judged, success_interval: [low, high] }) {
  const percent = (share) => Math.round(100 * share);
  return say("episode.rate", { successes, judged, low: percent(low), high: percent(high) });
}
