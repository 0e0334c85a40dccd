// <o-playhead>: pictures and clips in a grid, under one playhead. Any page may have one:
//
//   import { cellOf } from "../playhead/cells.js";
//   import "../playhead/part.js";
//   const cells = [cellOf(one, { column: 0, label: "A" }), cellOf(other, { column: 1, label: "B" })];
//   html`<o-playhead grid=${{ columns: ["A", "B"], cells }} />`;
//
// `one` and `other` are library items or results of jobs. Given the same media again, a cell keeps what it has fetched;
// only its notes change. Where nothing is to be seen, `status` says why, and `way` is a link to what can be done. The
// page needs playhead.css and bar.css.
// Its `playhead` plays and steps: play(), pause(), step(1), goTo(frame), loop("start").

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Moving, Seeing } from "./bar.js";
import { ClipFigure, Notes, paceOf } from "./clip.js";
import { Playhead } from "./playhead.js";
import { Plot } from "./plot.js";
import { PAINTERS } from "./views.js";
import { Zoom } from "../parts/zoom.js";
import { html, render, signal, useEffect, useLayoutEffect, useSignal } from "../vendor/preact.js";

const FLICKER_MS = 500; // twice a second: below what may harm (WCAG 2.3.1: three)

class OnePlayhead extends HTMLElement {
  playhead = new Playhead();
  zoom = new Zoom(".o-clip-frame");
  drawn = new Set(); // the clips that are there
  shown = signal({ columns: [], rows: [], cells: [] });
  seen = signal({ view: "side", against: 0 });

  connectedCallback() {
    render(html`<${Grid} head=${this} />`, this);
  }

  disconnectedCallback() {
    render(null, this);
  }

  /** { columns: [label], rows: [label], cells: [cell] }, cells as `cellOf` makes them. */
  set grid(grid) {
    this.shown.value = { columns: [], rows: [], ...grid };
  }

  /** Side by side, or every cell against the one of its row in another column. */
  look(view, against = this.seen.peek().against) {
    this.seen.value = { view, against };
  }

  /** What it shows now, row by row. */
  get clips() {
    return [...this.drawn].sort((a, b) => a.cell.row - b.cell.row || a.cell.column - b.cell.column);
  }

  /** The id of the item that is heard, if one is. */
  get heard() {
    return this.clips.find(({ video, cell }) => cell.sound && !video.muted)?.cell.id;
  }
}

function Grid({ head }) {
  const { playhead, zoom } = head;
  const { columns, rows, cells } = head.shown.value;
  const { view } = head.seen.value;
  const against = Math.min(head.seen.value.against, Math.max(columns.length - 1, 0));
  const split = useSignal(0.5);
  const phase = useSignal(false);
  const heard = useSignal(null); // the key of the clip that sounds: one at a time
  const playing = cells.filter(({ url }) => url);

  // Every cell against the one of its row in the chosen column; that one stays as it is.
  const [painter, how] = [PAINTERS[view], { split: split.value, phase: phase.value }];
  function draw() {
    const { clips } = head;
    for (const clip of clips) {
      const other = painter && clips.find(({ cell }) => cell.row === clip.cell.row && cell.column === against);
      clip.drawOver(other, other && other !== clip ? (...given) => painter(how, ...given) : null);
    }
  }
  useLayoutEffect(() => {
    playhead.addEventListener("state", draw);
    playhead.clips = head.clips;
    return () => playhead.removeEventListener("state", draw);
  });
  useEffect(() => () => playhead.playing && playhead.pause(), []);
  useEffect(() => {
    if (view !== "flicker") return undefined;
    const timer = setInterval(() => (phase.value = !phase.value), FLICKER_MS);
    return () => clearInterval(timer);
  }, [view]);

  const wide = Math.max(columns.length, ...cells.map(({ column }) => column + 1), 1);
  const high = Math.max(rows.length, ...cells.map(({ row }) => row + 1), 1);
  const shapes = cells.filter(({ width, height }) => width && height).map(({ width, height }) => width / height);
  const clip = (cell) => {
    const key = `${cell.row}:${cell.column}:${cell.url}`;
    const isHeard = heard.value === key;
    const hear = () => (heard.value = isHeard ? null : key);
    // A still that was on its way had nothing to be drawn.
    return html`<${ClipFigure} ...${{ key, cell, clips: head.drawn, isHeard, hear, loaded: draw }} />`;
  };
  const listed = [];
  for (let row = 0; row < high; row += 1) {
    if (rows[row]) listed.push(html`<h3 key=${`row ${row}`} class="o-clips-row" title=${rows[row]}>${rows[row]}</h3>`);
    for (let column = 0; column < wide; column += 1) {
      const cell = cells.find((other) => other.row === row && other.column === column);
      const hole = () => html`<${Hole} key=${`${row}:${column}`} label=${columns[column]} ...${cell} />`;
      listed.push(cell?.url ? clip(cell) : hole());
    }
  }
  const labels = columns.length ? columns : playing.map(({ label }) => label ?? "");
  const said = differences(playing);
  if (view !== "side" && cells.some((cell) => cell.column === against && cell.gone))
    said.push(say("playhead.against_gone"));
  return html`
    <${Clips}
      zoom=${zoom}
      wide=${wide}
      rows=${high > 1 ? high : null}
      ratio=${shapes.length ? Math.min(...shapes) : 16 / 9}
    >
      ${listed}
    <//>
    <div class="o-playhead-panel">
      <div class="o-playhead-bar">
        <${Moving} playhead=${playhead} />
        <${Seeing}
          ...${{ view, against, columns: labels, zoom }}
          split=${split.value}
          look=${(name, column) => head.look(name, column)}
          divide=${(share) => (split.value = share)}
        />
        ${said.length > 0 && html`<p class="o-playhead-said">${said.join(" ")}</p>`}
      </div>
      <${Plot} playhead=${playhead} cells=${cells} />
    </div>
  `;
}

function Clips({ zoom, wide, rows, ratio, children }) {
  const { style, ...attributes } = seen(zoom).attributes;
  return html`
    <div
      class="o-clips"
      data-rows=${rows}
      style=${{ "--o-columns": wide, "--o-ratio": ratio, ...style }}
      ...${attributes}
    >
      ${children}
    </div>
  `;
}

/** What stands where no medium is. */
const Hole = ({ label = "", status, way, notes }) => html`
  <figure class="o-clip" data-hole="" data-state=${status?.state ?? "none"}>
    <div class="o-clip-frame">
      <span class="o-tag">${label}</span>
      <p>${status?.words}</p>
      ${way && html`<a class="o-btn" href=${way.href}>${way.words}</a>`}
      ${
        status?.share != null &&
        html`<span class="o-bar" aria-hidden="true"><i style=${{ width: `${100 * status.share}%` }} /></span>`
      }
    </div>
    <${Notes} notes=${notes} />
  </figure>
`;

/** Clips of other lengths, rates or sizes are aligned by time, and that is said. */
function differences(cells) {
  const clips = cells.map((cell) => ({ ...cell, ...paceOf(cell) })).filter(({ length }) => length > 0);
  const sorts = (of) => [...new Set(clips.map(of))].sort((a, b) => a - b);
  const lengths = sorts(({ length }) => Number(length.toFixed(3)));
  const rates = sorts(({ fps }) => Number(fps.toFixed(2)));
  const sizes = [...new Set(clips.map(({ width, height }) => `${width}×${height}`))];
  const said = [
    lengths.length > 1 &&
      say("playhead.lengths", { lengths: lengths.map((length) => `${length.toFixed(2)} s`).join(", ") }),
    rates.length > 1 && say("playhead.rates", { rates: rates.join(", ") }),
    sizes.length > 1 && say("playhead.sizes", { sizes: sizes.join(", ") }),
  ].filter(Boolean);
  return said.length ? [say("playhead.aligned"), ...said] : [];
}

customElements.define("o-playhead", OnePlayhead);
