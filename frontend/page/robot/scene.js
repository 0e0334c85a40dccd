// The simulated table: which one it is, and another one by its seed. Not there beside a real arm.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html, useLayoutEffect, useRef } from "../vendor/preact.js";
import { robot } from "./link.js";

function Scene() {
  const wanted = useRef(null);
  const { now, mine, engaged, busy } = seen(robot);
  const seed = now.connected ? (now.summary?.scene_seed ?? null) : null;
  // The next table is the next seed, so that pressing again shows another one.
  useLayoutEffect(() => {
    if (seed !== null) wanted.current.value = seed + 1;
  }, [seed]);
  if (seed === null) return null;
  const disabled = !mine || engaged || Boolean(busy);
  // What cannot be a seed the robot refuses.
  const reset = () =>
    robot.tell("reset_scene", { seed: wanted.current.value === "" ? null : Number(wanted.current.value) });
  return html`
    <div class="o-scene">
      <label for="robot-seed">${say("scene.title")}</label>
      <small class="o-num">${say("scene.now", { seed })}</small>
      <div>
        <input
          ref=${wanted}
          class="o-select"
          type="number"
          min="0"
          step="1"
          id="robot-seed"
          inputmode="numeric"
          aria-label=${say("scene.seed")}
          onKeyDown=${(event) => event.key === "Enter" && !disabled && reset()}
        />
        <button type="button" class="o-btn" data-do="reset_scene" disabled=${disabled} onClick=${reset}>
          ${say("scene.reset")}
        </button>
      </div>
    </div>
  `;
}

define("o-robot-scene", Scene);
