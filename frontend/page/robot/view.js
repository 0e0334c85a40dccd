// The canvas exactly as the policy sees it, beside it what it foresees where it does, and how to start a robot where
// none is.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { define } from "../parts/element.js";
import { html, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";
import { Divergence, Foreseen } from "./foresight.js";
import { robot } from "./link.js";
import { PolicySource } from "./policy_source.js";

const RATE_OVER_MS = 2000;

function View({ element }) {
  const canvas = useRef(null);
  const shown = useSignal(null); // the width, height and rate of what is drawn
  const predicts = useSignal(false); // whether a chunk came with a video
  const predicting = useSignal(false);
  const big = useSignal(false); // the cameras take the width of the page
  seen(robot.ticks);
  const { there, now } = seen(robot);
  const { tick } = now;
  const blind = there && tick && !tick.has_views;
  const visible = there && !blind && shown.value;

  useLayoutEffect(() => {
    let drawnAt = [];
    const picture = new PictureCanvas(canvas.current, () => {
      const now = performance.now();
      drawnAt = [...drawnAt.filter((at) => now - at < RATE_OVER_MS), now];
      const count = Number(element.dataset.frames ?? 0) + 1;
      element.dataset.frames = String(count);
      if (!robot.there || (shown.peek() && count % 5)) return;
      const spanS = (now - drawnAt[0]) / 1000;
      const rate = spanS > 0.5 ? ((drawnAt.length - 1) / spanS).toFixed(0) : "–";
      shown.value = { width: canvas.current.width, height: canvas.current.height, rate };
    });
    element.setAttribute("role", "region");
    element.setAttribute("aria-label", say("view.label"));
    robot.want("canvas");
    robot.addEventListener("frame", ({ detail }) => detail.topic === "canvas" && picture.show(detail.image));
    robot.addEventListener("chunk", ({ detail }) => (predicts.value ||= detail.has_video));
  }, []);
  useLayoutEffect(() => {
    if (!there) shown.value = null;
  }, [there]);
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute("data-big-cameras", big.value);
  }, [big.value]);

  return html`
    <div class="o-sight" data-beside=${predicting.value || null}>
    <div class="o-eyes">
      <canvas
        ref=${canvas}
        role="img"
        aria-label=${say("view.picture")}
        width="640"
        height="540"
        hidden=${!visible}
      />
      ${!visible && html`<${Words} state=${there ? (blind ? "blind" : "waiting") : robot.standing} />`}
    </div>
    ${predicting.value && html`<${Foreseen} />`}
    </div>
    ${(predicting.value || now.session?.run?.divergence_limit != null) && html`<${Divergence} />`}
    <div class="o-under">
      <span class="o-num">${visible && say("view.caption", shown.value)}</span>
      ${
        visible &&
        html`<button
          type="button"
          class="o-btn"
          data-do="big"
          aria-pressed=${String(big.value)}
          onClick=${() => (big.value = !big.value)}
        >
          ${say("view.big")}
        </button>`
      }
      ${
        there &&
        (predicts.value || tick?.policy_predicts) &&
        html`<button
          type="button"
          class="o-btn"
          aria-pressed=${String(predicting.value)}
          onClick=${() => (predicting.value = !predicting.value)}
        >
          ${say("view.predicted")}
        </button>`
      }
      ${there && tick && html`<${PolicySource} tick=${tick} />`}
    </div>
  `;
}

/** Why there is no picture, and what can be done about it. */
function Words({ state }) {
  const lead = ["none", "gone", "blind", "waiting"].includes(state) ? say(`view.${state}`) : say(`why.${state}`);
  const hint = ["gone", "blind"].includes(state) ? say(`view.${state}_hint`) : "";
  return html`
    <div class="o-stage-words">
      <b>${lead}</b>
      <div>${state === "none" ? robot.problem || html`<${HowToStart} />` : hint}</div>
    </div>
  `;
}

const HowToStart = () => html`
  <p>${say("view.none_served")}<code>orrery serve --robot simulated</code></p>
  <p>${say("view.none_simulated")}<code>orrery robot --arm simulated --server ${location.origin}</code></p>
  <p>${say("view.none_real")}<code>orrery robot --arm franka --host … --server ${location.origin}</code></p>
`;

define("o-robot-view", View);
