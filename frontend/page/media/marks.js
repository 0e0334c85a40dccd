// Boxes and points of an answer, drawn over what it was asked about. Places are on a grid of 0 to 1000, both ways.

import { html } from "../vendor/preact.js";

const GRID = 1000;
const share = (value) => `${(100 * value) / GRID}%`;
const number = (value) => typeof value === "number" && Number.isFinite(value);

/** The marks among the results of a task, or in the JSON that an answer in words holds. */
export function marksOf(turn) {
  const found = turn.results?.length ? turn.results : inWords(turn.text ?? "");
  return found.flatMap((entry) => {
    const [box, point] = [entry?.box_2d ?? entry?.bbox_2d, entry?.point_2d];
    const label = String(entry?.label ?? "");
    if (Array.isArray(box) && box.length === 4 && box.every(number)) return [{ box, label }];
    if (Array.isArray(point) && point.length === 2 && point.every(number)) return [{ point, label }];
    return [];
  });
}

function inWords(text) {
  const [from, to] = [text.search(/[[{]/), Math.max(text.lastIndexOf("]"), text.lastIndexOf("}"))];
  if (from < 0 || to < from) return [];
  try {
    const found = JSON.parse(text.slice(from, to + 1));
    return Array.isArray(found) ? found : [found];
  } catch {
    return [];
  }
}

/** `marks` over what they are of; `path` joins the points, as a trajectory does. */
export function Marks({ marks, path }) {
  const points = marks.flatMap(({ point }) => (point ? [point.join(",")] : []));
  return html`
    <div class="o-marks">
      ${
        path &&
        points.length > 1 &&
        html`<svg viewBox=${`0 0 ${GRID} ${GRID}`} preserveAspectRatio="none">
          <polyline points=${points.join(" ")} />
        </svg>`
      }
      ${marks.map(
        ({ box, point, label }, index) => html`
          <div class=${box ? "o-mark-box" : "o-mark-point"} data-mark=${index} style=${placeOf(box ?? point)}>
            <span>${label || index + 1}</span>
          </div>
        `,
      )}
    </div>
  `;
}

const placeOf = ([left, top, right, bottom]) => ({
  left: share(left),
  top: share(top),
  ...(right == null ? {} : { width: share(right - left), height: share(bottom - top) }),
});
