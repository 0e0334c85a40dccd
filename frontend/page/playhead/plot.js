// Actions under the playhead: one value of every cell's actions over time, or the path of its first two values.

import { colourOf } from "../media/actions_chart.js";
import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";

const [WIDTH, HEIGHT, MARGIN] = [960, 96, 8];
const PATH = "path";

/** Of the cells, those with actions are drawn once these are here. */
export function Plot({ playhead, cells }) {
  const series = useSignal([]); // { label, name, rows, columns, fps, colour }
  const wanted = useSignal("0");
  const fetched = useRef(new Map()); // URL → actions, or null
  const acting = cells.filter(({ actions }) => actions);
  const key = JSON.stringify(acting.map(({ row, column, url }) => [row, column, url]));

  useEffect(() => {
    let isMeant = true;
    Promise.all(acting.map(({ actions }) => read(actions, fetched.current))).then((found) => {
      if (!isMeant) return;
      const drawn = acting.map((cell, index) => ({ cell, actions: found[index] }));
      series.value = drawn
        .filter(({ actions }) => actions?.rows.length)
        .map(({ cell, actions }, index) => ({
          ...actions,
          fps: actions.fps || cell.fps || 24,
          label: cell.label ?? "",
          name: cell.name ?? "",
          colour: colourOf(index),
        }));
    });
    return () => (isMeant = false);
  }, [key]);

  if (!series.value.length) return null;
  const width = Math.max(...series.value.map(({ rows }) => rows[0].length));
  const names = series.value.find(({ columns }) => columns)?.columns ?? [];
  const options = [...Array(width).keys()].map((column) => [
    String(column),
    names[column] ?? say("plot.column", { column: column + 1 }),
  ]);
  if (width > 1) options.push([PATH, say("plot.path")]);
  const [choice, words] = options.find(([value]) => value === wanted.value) ?? options[0];
  const place = placing(series.value, choice, playhead.length);
  const line = ({ rows, colour }, index) => {
    const points = rows.map((_, at) => place(index, at).map((value) => value.toFixed(1)));
    return html`<polyline points=${points.join(" ")} fill="none" stroke=${colour} stroke-width="1.6" />`;
  };
  return html`
    <div class="o-plot">
      <div class="o-plot-head">
        <select
          class="o-select"
          aria-label=${say("plot.value")}
          value=${choice}
          onChange=${({ currentTarget }) => (wanted.value = currentTarget.value)}
        >
          ${options.map(([value, said]) => html`<option key=${value} value=${value}>${said}</option>`)}
        </select>
        <span class="o-plot-legend">
          ${series.value.map(
            ({ label, name, colour }) => html`<span title=${name}><i style=${{ background: colour }} />${label}</span>`,
          )}
        </span>
      </div>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${say("plot.label", { value: words })}>
        ${series.value.map(line)}<${Marks} ...${{ playhead, series: series.value, choice, place }} />
      </svg>
    </div>
  `;
}

/** Where the playhead is: a line across, or a dot on every path. */
function Marks({ playhead, series, choice, place }) {
  const { time } = seen(playhead);
  if (choice !== PATH) {
    const [x] = place(0, time * series[0].fps);
    return html`<line x1=${x} x2=${x} y1="0" y2=${HEIGHT} stroke="currentColor" stroke-width="1.5" />`;
  }
  return series.map(({ rows, fps, colour }, index) => {
    const [x, y] = place(index, Math.min(Math.floor(time * fps), rows.length - 1));
    return html`<circle r="4" cx=${x} cy=${y} fill=${colour} />`;
  });
}

async function read(actions, fetched) {
  if (typeof actions !== "string")
    return { rows: actions.actions ?? actions, fps: actions.fps, columns: actions.columns };
  if (!fetched.has(actions)) {
    const reply = await fetch(actions).catch(() => null);
    const said = reply?.ok ? await reply.json() : null;
    fetched.set(actions, said && { rows: said.actions, fps: said.fps, columns: said.columns });
  }
  return fetched.get(actions);
}

/** Where a row of a series is drawn, as [x, y]; of a row between two, only x counts. */
function placing(series, choice, length) {
  const isPath = choice === PATH;
  const span = (column) => {
    const values = series.flatMap(({ rows }) => rows.map((row) => row[column] ?? 0));
    return [Math.min(...values), Math.max(...values)];
  };
  const until = Math.max(length, ...series.map(({ rows, fps }) => rows.length / fps)) || 1;
  const [[low, high], [lowY, highY]] = isPath ? [span(0), span(1)] : [span(Number(choice)), [0, 0]];
  if (!isPath)
    return (index, at) => {
      const { rows, fps } = series[index];
      const share = ((rows[Math.floor(at)]?.[choice] ?? 0) - low) / (high - low || 1);
      return [
        MARGIN + ((WIDTH - 2 * MARGIN) * Math.min(at / fps, until)) / until,
        HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * share,
      ];
    };
  // One scale for both values, in the middle.
  const scale = (HEIGHT - 2 * MARGIN) / (Math.max(high - low, highY - lowY) || 1);
  return (index, at) => {
    const [x, y = 0] = series[index].rows[at];
    return [WIDTH / 2 + (x - (low + high) / 2) * scale, HEIGHT / 2 - (y - (lowY + highY) / 2) * scale];
  };
}
