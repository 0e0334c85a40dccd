// Lines over steps in one frame: values with their 95 % intervals, a baseline, a marked peak.

import { html } from "../vendor/preact.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [360, 190, 68, 14, 14, 26];

/**
 * `lines` are `{ title, colour, points: [{ x, value, low, high, title }], peak }`, a peak as its x; `baseline` is a
 * value or null; `written` says a value in words, `xs` what stands below the first and the last x.
 */
export function Chart({ label, lines, baseline = null, written, xs }) {
  const points = lines.flatMap((line) => line.points);
  const values = points.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  if (baseline !== null) values.push(baseline);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const x = (at) => LEFT + ((WIDTH - LEFT - RIGHT) * (at - first)) / (last - first || 1);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - least)) / (most - least || 1);
  const at = (one) => `${x(one.x).toFixed(1)},${y(one.value).toFixed(1)}`;
  return html`
    <svg class="o-evaluate-chart" role="img" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-label=${label}>
      <line class="o-chart-axis" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${HEIGHT - BOTTOM} y2=${HEIGHT - BOTTOM} />
      ${(most > least ? [least, most] : [least]).map(
        (value) => html`<text x=${LEFT - 6} y=${y(value) + 4} text-anchor="end">${written(value)}</text>`,
      )}
      <text x=${LEFT} y=${HEIGHT - 8} text-anchor="start">${xs[0]}</text>
      ${last > first && html`<text x=${WIDTH - RIGHT} y=${HEIGHT - 8} text-anchor="end">${xs[1]}</text>`}
      ${
        baseline !== null &&
        html`<line class="o-chart-baseline" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(baseline)} y2=${y(baseline)} />`
      }
      ${lines.map(
        ({ title, colour, points: own, peak }) => html`
          <g style=${{ color: colour }}>
            <title>${title}</title>
            <polyline points=${own.map(at).join(" ")} />
            ${own.map((one) =>
              one.low === null || one.low === undefined || one.low === one.high
                ? null
                : html`<line class="o-chart-interval" x1=${x(one.x)} x2=${x(one.x)} y1=${y(one.low)} y2=${y(one.high)} />`,
            )}
            ${own.map(
              (one) => html`<circle
                cx=${x(one.x)}
                cy=${y(one.value)}
                r=${one.x === peak ? 5 : own.length > 40 ? 1.2 : 2.6}
                data-peak=${one.x === peak ? "" : null}
                ><title>${one.title}</title></circle
              >`,
            )}
          </g>
        `,
      )}
    </svg>
  `;
}
