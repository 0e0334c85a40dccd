// Several plans from what the cameras show now. One that a person picks is proposed to an arm that waits for approval.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { FanForm } from "../imagining/fan_form.js";
import { FanView } from "../imagining/fan_view.js";
import { useImagined } from "../imagining/following.js";
import { upload } from "../media/media_facts.js";
import { define } from "../parts/element.js";
import { toast } from "../parts/errors.js";
import { html, useRef } from "../vendor/preact.js";
import { robot } from "./link.js";
import { nextRun } from "./run.js";

const PLANNED = 32; // rows

function Fan() {
  const { there, engaged, mine, now } = seen(robot);
  const { found, running, begin, cancel } = useImagined("/v1/fans");
  const epoch = useRef(0); // in which the fan was asked for
  const { session, hello } = now;
  const waits = engaged && session?.run?.mode === "approve" && session.state === "holding";
  const prompt = (engaged && session.run.prompt) || nextRun.value.prompt;
  // A picture of a moving arm is of another moment than its joints.
  const still = there && (!engaged || session.state === "holding");

  async function start(fields) {
    const picture = await canvasPicture();
    const { tick } = robot.now;
    if (!picture || !tick?.joints) return toast(say("robot_fan.blind"), "", "bad");
    const media = await upload(new File([picture], "cameras.png"), (words) => toast(words, "", "bad"));
    if (!media) return undefined;
    epoch.current = session.epoch;
    const cameras = hello.arm === "simulated" ? "simulated" : null;
    const state = [...tick.joints, tick.gripper];
    return begin({ prompt, start_image: media.id, state, cameras, num_actions: PLANNED, ...fields });
  }
  const propose = ({ actions }) => robot.tell("propose", { epoch: epoch.current, rows: actions });
  const choice = (branch, number) => html`
    <button
      type="button"
      class="o-btn"
      data-do="propose"
      aria-label=${say("robot_fan.propose_number", { number: number + 1 })}
      disabled=${!mine || !waits || session.epoch !== epoch.current || !branch.actions.length}
      onClick=${() => propose(branch)}
    >
      ${say("robot_fan.propose")}
    </button>
  `;
  return html`
    <details class="o-imagine">
      <summary>${say("fan.title")} <small>${say("robot_fan.help")}</small></summary>
      <${FanForm} ...${{ running, begin: start, cancel }} disabled=${!still || !prompt} />
      ${found && html`<${FanView} fan=${found} choice=${choice} />`}
    </details>
  `;
}

/** What the cameras show, as a file; null where they show nothing. */
function canvasPicture() {
  const canvas = document.querySelector("o-robot-view .o-eyes > canvas");
  if (!canvas || canvas.hidden) return Promise.resolve(null);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

define("o-robot-fan", Fan);
