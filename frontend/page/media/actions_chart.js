// Actions as lines over time: one line for each value of an action, all on one scale.

import { say } from "../data/facts.js";
import { html, useEffect, useSignal, useState } from "../vendor/preact.js";

const LARGE = { width: 960, height: 540, margin: 48, stroke: 2, across: 5, tall: 20, letters: 14, digits: 3 };
// On a phone, where letters of the large one were dots.
const NARROW = { width: 400, height: 225, margin: 34, stroke: 2, across: 4, tall: 15, letters: 12, digits: 2 };
const SMALL = { width: 960, height: 84, margin: 10, side: 0, stroke: 1.5, tall: 0 };
const PHONE = matchMedia("(max-width: 860px)");
const MOST_NAMED = 10;

/** The golden angle: neighbouring values never look alike, however many there are. */
export const colourOf = (column) => `hsl(${(column * 137.5) % 360} 70% 65%)`;

/** The actions at a URL, as `ActionsChart` draws them: undefined until they are there, null where they cannot be had. */
export function useActions(url) {
  const [found, setFound] = useState({ url: "", drawn: undefined });
  useEffect(() => {
    let current = true;
    if (url) fetched(url).then((drawn) => current && setFound({ url, drawn }));
    return () => {
      current = false;
    };
  }, [url]);
  return found.url === url ? found.drawn : undefined;
}

async function fetched(url) {
  const reply = await fetch(url).catch(() => null);
  return reply?.ok ? reply.json() : null;
}

/**
 * Rows of `actions`, `fps` of them a second; `columns` names their values where they have names. A `small` one stands
 * below its video, with the playhead where `playback` is: between frame i and the next lies action i.
 */
export function ActionsChart({ actions, fps, columns = null, small = false, playback = null }) {
  const isNarrow = usePhone();
  const form = small ? SMALL : isNarrow ? NARROW : LARGE;
  const { width, height, margin, side = margin } = form;
  const named = !small && columns && columns.length <= MOST_NAMED ? columns : [];
  const top = Math.max(margin, Math.ceil(named.length / (form.across ?? 1)) * form.tall + 8);
  const values = actions.flat();
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (row) => side + ((width - 2 * side) * row) / Math.max(actions.length - 1, 1);
  const y = (value) => height - margin - ((height - top - margin) * (value - low)) / (high - low || 1);
  const seconds = (actions.length / fps).toFixed(2);
  return html`
    <svg
      role="img"
      viewBox=${`0 0 ${width} ${height}`}
      preserveAspectRatio=${small ? "none" : null}
      aria-label=${say("stage.actions", { rows: actions.length, columns: actions[0].length })}
    >
      ${
        !small &&
        html`<g fill="currentColor" font-size=${form.letters}>
          ${[low, high].map(
            (value) => html`<text x=${margin - 4} y=${y(value) + 4} text-anchor="end">
              ${value.toPrecision(form.digits)}
            </text>`,
          )}
          <text x=${margin} y=${height - margin / 2 + 4} text-anchor="middle">0 s</text>
          <text x=${width - margin} y=${height - margin / 2 + 4} text-anchor="middle">${seconds} s</text>
          ${named.map(
            (name, at) => html`<text
              x=${margin + 6 + (at % form.across) * ((width - 2 * margin) / form.across)}
              y=${form.tall * (1 + Math.floor(at / form.across))}
              fill=${colourOf(at)}
            >
              ${name}
            </text>`,
          )}
        </g>`
      }
      ${actions[0].map(
        (_, column) => html`<polyline
          points=${actions.map((action, row) => `${x(row).toFixed(1)},${y(action[column]).toFixed(1)}`).join(" ")}
          stroke=${colourOf(column)}
          fill="none"
          stroke-width=${form.stroke}
          vector-effect="non-scaling-stroke"
        />`,
      )}
      ${playback && html`<${Head} ...${{ playback, form, rows: actions.length }} />`}
    </svg>
  `;
}

function Head({ playback, form: { width, height }, rows }) {
  const at = (width * Math.min(playback.frame.value, rows)) / Math.max(playback.frames.value - 1, 1);
  return html`<line x1=${at} x2=${at} y1="0" y2=${height} stroke="currentColor" stroke-width="1.5" />`;
}

function usePhone() {
  const matches = useSignal(PHONE.matches);
  useEffect(() => {
    const look = () => {
      matches.value = PHONE.matches;
    };
    PHONE.addEventListener("change", look);
    return () => PHONE.removeEventListener("change", look);
  }, []);
  return matches.value;
}
