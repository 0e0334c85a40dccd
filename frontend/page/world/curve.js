// The curve of one value, drawn over the others: dragged by its points, or by arrows on the point that has the focus.

import { say } from "../data/facts.js";
import { bent } from "../making/action_shapes.js";
import { colourOf } from "../media/actions_chart.js";
import { html, useRef, useSignal } from "../vendor/preact.js";

const WIDTH = 340;
const HEIGHT = 150;
const MARGIN = 12;
const REACH = 3; // rows that follow a dragged point, to each side; with Shift none
const MOST_LINES = 12; // of the other values

/** `put(rows)` is told the rows with another `column`. */
export function Curve({ rows, column, put }) {
  const marked = useSignal(0);
  const dragged = useRef(null); // the range while a point is dragged, which stays as it was
  const knob = useRef(null);
  const latest = useRef(rows); // two keys may come between two drawings: the second goes on from the first
  latest.current = rows;
  const last = rows.length - 1;
  const row = Math.min(marked.value, last);
  const value = rows[row][column];
  const [low, high] = dragged.current ?? rangeOf(rows.flat());

  const x = (at) => MARGIN + ((WIDTH - 2 * MARGIN) * at) / Math.max(last, 1);
  const y = (value) => HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (value - low)) / (high - low);
  const line = (index, attributes) => html`<polyline
    points=${rows.map((values, at) => `${x(at).toFixed(1)},${y(values[index]).toFixed(1)}`).join(" ")}
    fill="none"
    stroke=${colourOf(index)}
    ...${attributes}
  />`;
  const others = rows[0].map((_, index) => index).filter((index) => index !== column);

  function bend(at, value, reach) {
    latest.current = bent(latest.current, column, at, value, reach);
    put(latest.current);
  }
  function drag({ currentTarget, clientY, shiftKey }, at) {
    const { top, height } = currentTarget.getBoundingClientRect();
    const inside = HEIGHT - 2 * MARGIN;
    const up = 1 - ((clientY - top) / height) * (HEIGHT / inside) + MARGIN / inside;
    bend(at, Math.min(Math.max(low + up * (high - low), low), high), shiftKey ? 0 : REACH);
  }
  function grab(event) {
    event.preventDefault();
    const { currentTarget: node, pointerId, clientX } = event;
    node.setPointerCapture(pointerId);
    const along = (clientX - node.getBoundingClientRect().left) / node.clientWidth;
    const at = Math.round(((along * WIDTH - MARGIN) / (WIDTH - 2 * MARGIN)) * last);
    marked.value = Math.min(Math.max(at, 0), last);
    dragged.current = [low, high];
    knob.current.focus();
    drag(event, marked.value);
  }
  const letGo = () => {
    dragged.current = null;
  };
  function onKeyDown(event) {
    const along = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
    const up = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!along && !up) return;
    event.preventDefault();
    event.stopPropagation();
    const at = Math.min(marked.peek(), last);
    if (along) marked.value = Math.min(Math.max(at + along, 0), last);
    else bend(at, latest.current[at][column] + (up * (high - low)) / 100, event.shiftKey ? REACH : 0);
  }

  return html`
    <div
      class="o-curve"
      onPointerDown=${grab}
      onPointerMove=${(event) => dragged.current && drag(event, marked.peek())}
      onPointerUp=${letGo}
      onPointerCancel=${letGo}
    >
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line x1="0" x2=${WIDTH} y1=${y(0)} y2=${y(0)} class="o-zero" />
        ${others.slice(0, MOST_LINES).map((index) => line(index, { "stroke-opacity": 0.35, "stroke-width": 1.2 }))}
        ${line(column, { "stroke-width": 2.4 })}
        ${rows.map(
          (values, at) => html`<circle
            cx=${x(at)}
            cy=${y(values[column])}
            r=${rows.length > 64 ? 1.5 : 3}
            fill=${colourOf(column)}
          />`,
        )}
      </svg>
      <div
        ref=${knob}
        class="o-knob"
        role="slider"
        tabindex="0"
        aria-label=${say("actions.point")}
        aria-orientation="vertical"
        aria-valuenow=${value}
        aria-valuemin=${low}
        aria-valuemax=${high}
        aria-valuetext=${say("actions.at", { row: row + 1, value })}
        title=${say("actions.at", { row: row + 1, value })}
        style=${{ left: `${(100 * x(row)) / WIDTH}%`, top: `${(100 * y(value)) / HEIGHT}%` }}
        onKeyDown=${onKeyDown}
      />
    </div>
  `;
}

/** Low and high of the drawing: the values and some room, and never less than from -1 to 1. */
function rangeOf(values) {
  const most = Math.max(1, ...values.map(Math.abs));
  return [-1.15 * most, 1.15 * most];
}
