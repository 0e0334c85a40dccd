// What the policy foresees: the frame of the same moment beside what is seen, and how far the two diverge.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { html, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";
import { history } from "./history.js";
import { robot } from "./link.js";
import { drawLine, sheetOf, usePlot } from "./plot.js";
import { ROWS_PER_SECOND } from "./run.js";

const FAMILY = "predicted";
const MAX_CLIPS = 4;
const HIGHEST = 2; // of the motion measure
const BLIND_TICKS = 60; // four seconds
const VIEWS = ["wrist", "exterior_1", "exterior_2"];

const clips = new Map(); // "epoch-tick" of a chunk's observation → its frames; the newest last

robot.addEventListener("hello", () => clips.clear());
robot.addEventListener("frame", ({ detail: { topic, image } }) => {
  const [family, label, index] = topic.split("/");
  if (family !== FAMILY) return;
  if (!clips.has(label)) clips.set(label, []);
  if (clips.size > MAX_CLIPS) clips.delete(clips.keys().next().value);
  clips.get(label)[Number(index)] = image;
});

const worst = (foreseen) => (foreseen ? Math.max(...foreseen.motion) : null);

/** What was foreseen for now; where nothing of the chunk in play was, the newest clip over and over. */
export function Foreseen() {
  const canvas = useRef(null);
  const drawn = useSignal(false);
  const moment = useSignal(""); // of what is shown: "" while it is of no moment
  useLayoutEffect(() => {
    const picture = new PictureCanvas(canvas.current, () => (drawn.value = true));
    let at = 0;
    const timer = setInterval(() => {
      if (document.hidden) return;
      const now = nowForeseen();
      moment.value = now ? String(now.frame) : "";
      if (now) return picture.show(now.image);
      const newest = [...clips.values()].at(-1) ?? [];
      at = (at + 1) % Math.max(newest.length, 1);
      if (newest[at]) picture.show(newest[at]);
    }, 1000 / ROWS_PER_SECOND);
    const unwant = robot.want(FAMILY);
    return () => {
      clearInterval(timer);
      unwant();
    };
  }, []);
  const words = moment.value ? say("foresight.aligned", { frame: moment.value }) : say("foresight.ahead");
  return html`
    <figure class="o-foreseen">
      <canvas
        ref=${canvas}
        class="o-predicted"
        role="img"
        aria-label=${say("view.predicted_label")}
        width="640"
        height="540"
        hidden=${!drawn.value}
      />
      <figcaption class="o-num">${drawn.value ? words : say("foresight.waiting")}</figcaption>
    </figure>
  `;
}

// A comparison is of a tick or two ago: what is seen now is so many rows further.
function nowForeseen() {
  const { tick, session } = robot.now;
  const { foreseen } = tick ?? {};
  if (!robot.engaged || !foreseen) return null;
  const slowed = ["rehearsal", "replay"].includes(session?.run?.mode) ? session.run.speed : 1;
  const frames = clips.get(foreseen.label) ?? [];
  const frame = Math.min(foreseen.frame + Math.round((tick.tick - foreseen.tick) * slowed), frames.length - 1);
  return frames[frame] ? { frame, image: frames[frame] } : null;
}

/** Each view's figures, and the last seconds of the largest with the operator's limit. */
export function Divergence() {
  seen(robot.ticks);
  const { tick, session } = robot.now;
  const foreseen = tick?.foreseen;
  const limit = session?.run?.divergence_limit ?? null;
  return html`
    <div class="o-divergence" role="group" aria-label=${say("foresight.title")}>
      <b>${say("foresight.title")}</b>
      ${VIEWS.map((view, index) => {
        const motion = foreseen?.motion[index];
        const name = say(`foresight.${view}`);
        return html`
          <div data-view=${view} data-beyond=${(limit !== null && motion > limit) || null}>
            <span>${name}</span>
            <meter min="0" max=${HIGHEST} value=${motion ?? 0} aria-label=${name} />
            <span class="o-num">
              ${foreseen ? say("foresight.figures", { motion: motion.toFixed(2), psnr: foreseen.psnr_db[index].toFixed(1) }) : "–"}
            </span>
          </div>
        `;
      })}
      <${PastDivergence} now=${tick?.tick} limit=${limit} />
      ${isBlind() && html`<p class="o-hint" role="status">${say("foresight.blind")}</p>`}
    </div>
  `;
}

// A run for some seconds in which no predicted frame came while its rows were played.
function isBlind() {
  const past = history.slice(-BLIND_TICKS);
  const epoch = past.at(-1)?.epoch;
  const sees = (tick) => tick.epoch !== epoch || tick.state !== "running" || tick.foreseen;
  return robot.engaged && past.length === BLIND_TICKS && !past.some(sees);
}

function PastDivergence({ now, limit }) {
  const canvas = useRef(null);
  const draw = () => canvas.current && drawPast(canvas.current, limit);
  usePlot(canvas, draw);
  useLayoutEffect(draw, [now, limit]);
  return html`<div class="o-divergence-past"><canvas ref=${canvas} role="img" aria-label=${say("foresight.past")} /></div>`;
}

function drawPast(canvas, limit) {
  const sheet = sheetOf(canvas, ["sunk", "accent", "warn"]);
  if (!sheet) return;
  const { context, colours, width, height } = sheet;
  context.fillStyle = colours.sunk;
  context.fillRect(0, 0, width, height);
  const last = history.at(-1)?.tick ?? 0;
  const x = (tick) => width * (1 - (last - tick) / 90);
  const y = (value) => height * (1 - Math.min(value, HIGHEST) / HIGHEST);
  const known = history.filter(({ foreseen }) => foreseen);
  drawLine(
    sheet,
    known.map(({ foreseen }) => [x(foreseen.tick), y(worst(foreseen))]),
    "accent",
    1.6,
  );
  if (limit !== null)
    drawLine(
      sheet,
      [0, width].map((at) => [at, y(limit)]),
      "warn",
      1,
      [3, 3],
    );
}
