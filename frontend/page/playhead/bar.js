// The bar of a playhead: play, step, seek, loop, speed; how cells are seen, against which; zoom.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { FrameSlider, useFrameKeys } from "../parts/frames.js";
import { Icon } from "../parts/icons.js";
import { html, useRef } from "../vendor/preact.js";

const SPEEDS = [1, 0.5, 0.25, 2];
const VIEWS = ["side", "slider", "difference", "flicker"];

const Round = ({ icon, words, ...attributes }) => html`
  <button type="button" class="o-play" aria-label=${words} title=${words} ...${attributes}>
    <${Icon} name=${icon} size=${17} />
  </button>
`;

/** Moves the playhead; nothing where nothing moves. */
export function Moving({ playhead }) {
  const line = useRef(null);
  const { frame, frames, fps, length, range, rate, playing } = seen(playhead);
  useFrameKeys(playhead, line, () => line.current?.offsetParent, {
    "[": () => playhead.loop("start"),
    "]": () => playhead.loop("end"),
    "\\": () => playhead.loop(null),
  });
  if (!length) return null;

  const isClosed = range && range[1] < length - 1e-6;
  const [words, edge] = !range ? ["start", "start"] : isClosed ? ["clear", null] : ["end", "end"];
  const named = (name) => ({ words: say(`playhead.${name}`), "data-do": name });
  return html`
    <div ref=${line} class="o-playhead-line">
      <${Round} icon="back" ...${named("back")} onClick=${() => playhead.step(-1)} />
      <${Round}
        icon=${playing ? "pause" : "play"}
        words=${say(playing ? "playhead.pause" : "playhead.play")}
        data-do="play"
        aria-keyshortcuts="K"
        onClick=${() => playhead.toggle()}
      />
      <${Round} icon="forward" ...${named("forward")} onClick=${() => playhead.step(1)} />
      <span class="o-num" role="timer" aria-label=${say("playhead.clock_label")}>
        ${say("playhead.clock", { time: (frame / fps).toFixed(3), frame: frame + 1, frames })}
      </span>
      <span class="o-seek">
        ${
          range &&
          html`<i
            class="o-loop-band"
            style=${{ left: `${(100 * range[0]) / length}%`, width: `${(100 * (range[1] - range[0])) / length}%` }}
          />`
        }
        <${FrameSlider}
          ...${{ frame, frames }}
          label=${say("playhead.seek")}
          words=${say("playhead.frame", { frame: frame + 1, frames })}
          go=${(at) => playhead.scrub(at)}
        />
      </span>
      <button
        type="button"
        class="o-btn"
        data-do="loop"
        aria-pressed=${String(Boolean(range))}
        onClick=${() => playhead.loop(edge)}
      >
        ${say(`playhead.loop_${words}`)}
      </button>
      <button
        type="button"
        class="o-btn o-num"
        aria-label=${say("playhead.speed")}
        title=${say("playhead.speed")}
        onClick=${() => playhead.setRate(SPEEDS[(SPEEDS.indexOf(rate) + 1) % SPEEDS.length])}
      >
        ${rate}×
      </button>
    </div>
  `;
}

/** How cells are seen: `look(view, against)` and `divide(share)` change it. `columns` are their labels. */
export function Seeing({ view, against, split, columns, zoom, look, divide }) {
  const { scale } = seen(zoom);
  const closer = (name, factor, words, more = {}) => html`
    <button
      type="button"
      class="o-btn"
      aria-label=${say(`playhead.${name}`)}
      title=${say(`playhead.${name}`)}
      onClick=${() => zoom.by(factor)}
      ...${more}
    >
      ${words}
    </button>
  `;
  return html`
    <div class="o-playhead-line">
      ${
        columns.length > 1 &&
        html`<div class="o-views" role="group" aria-label=${say("playhead.views")}>
          ${VIEWS.map(
            (name) => html`
              <button
                type="button"
                class="o-btn"
                data-view=${name}
                aria-pressed=${String(name === view)}
                onClick=${() => look(name)}
              >
                ${say(`playhead.view_${name}`)}
              </button>
            `,
          )}
        </div>`
      }
      ${
        columns.length > 1 &&
        view !== "side" &&
        html`<label class="o-against o-inline">
          <span>${say("playhead.against_short")}</span>
          <select
            class="o-select"
            aria-label=${say("playhead.against")}
            value=${against}
            onChange=${({ currentTarget }) => look(view, Number(currentTarget.value))}
          >
            ${columns.map((label, column) => html`<option value=${column}>${label}</option>`)}
          </select>
        </label>`
      }
      ${
        view === "slider" &&
        html`<input
          type="range"
          min="0"
          max="100"
          step="0.5"
          value=${100 * split}
          aria-label=${say("playhead.split")}
          onInput=${({ currentTarget }) => divide(Number(currentTarget.value) / 100)}
        />`
      }
      <span class="o-grow" />
      <div class="o-zoom" role="group" aria-label=${say("playhead.zoom")}>
        ${closer("zoom_out", 1 / 1.5, "−")}
        ${closer("zoom_reset", 0, `${Number(scale.toFixed(1))}×`, { class: "o-btn o-num", "data-do": "zoom" })}
        ${closer("zoom_in", 1.5, "+")}
      </div>
    </div>
  `;
}
