// <o-playhead>: pictures and clips in a grid, under one playhead. Any page may have one:
//
//   import { cellOf } from "../playhead/cells.js";
//   import "../playhead/part.js";
//   const head = document.querySelector("o-playhead");
//   const cells = [cellOf(one, { column: 0, label: "A" }), cellOf(other, { column: 1, label: "B" })];
//   head.show({ columns: ["A", "B"], cells });
//
// `one` and `other` are library items or results of jobs. Shown again with the same media, a cell keeps what it has
// fetched; only its notes change. Where nothing is to be seen, `status` says why, and `way` is a link to what can be
// done. The page needs playhead.css and bar.css.
// `head.playhead` plays and steps: play(), pause(), step(1), goTo(frame), loop("start"); it dispatches "change".

import { say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Playhead } from "./playhead.js";
import { PlayheadBar } from "./bar.js";
import { Clip } from "./clip.js";
import { PlayheadPlot } from "./plot.js";
import { PAINTERS } from "./views.js";
import { PlayheadZoom } from "./zoom.js";

const FLICKER_MS = 500; // twice a second: below what may harm (WCAG 2.3.1: three)

class OnePlayhead extends HTMLElement {
  #clips = new Map(); // "row:column:media" → Clip
  #rows = new Map(); // row → its heading
  #holes = new Map(); // "row:column" → what stands where no medium is
  #view = "side";
  #against = 0;
  #split = 0.5;
  #phase = false;
  #timer = 0;
  #grid = { columns: [], rows: [], cells: [] };

  connectedCallback() {
    if (this.playhead) {
      addEventListener("keydown", this.bar.onkey);
      this.#flicker();
      return;
    }
    this.playhead = new Playhead();
    this.list = make("div", { class: "o-clips" });
    this.zoom = new PlayheadZoom(this.list, () => this.#paintView());
    this.plot = new PlayheadPlot(this.playhead);
    this.bar = new PlayheadBar(this.playhead, {
      view: (name) => this.look(name),
      against: (column) => this.look(this.#view, column),
      split: (share) => this.#divide(share),
      zoom: (by) => this.zoom.by(by),
    });
    this.append(this.list, make("div", { class: "o-playhead-panel" }, this.bar.node, this.plot.node));
    this.playhead.addEventListener("change", () => this.#paint());
    addEventListener("keydown", this.bar.onkey);
    if (this.pending) this.show(this.pending);
  }

  disconnectedCallback() {
    removeEventListener("keydown", this.bar.onkey);
    clearInterval(this.#timer);
    if (this.playhead.playing) this.playhead.pause();
  }

  /** Take a grid: { columns: [label], rows: [label], cells: [cell] }, cells as `cellOf` makes them. */
  show(grid) {
    this.pending = grid;
    if (!this.playhead) return;
    this.#grid = { columns: [], rows: [], ...grid };
    this.#against = Math.min(this.#against, Math.max(this.#grid.columns.length - 1, 0));
    const wide = Math.max(this.#grid.columns.length, ...this.#grid.cells.map(({ column }) => column + 1), 1);
    const high = Math.max(this.#grid.rows.length, ...this.#grid.cells.map(({ row }) => row + 1), 1);
    this.list.style.setProperty("--o-columns", wide);
    mark(this.list, "data-rows", high > 1 ? high : null);
    const shapes = this.#grid.cells
      .filter(({ width, height }) => width && height)
      .map(({ width, height }) => width / height);
    this.list.style.setProperty("--o-ratio", shapes.length ? Math.min(...shapes) : 16 / 9);
    const order = [];
    const kept = new Set();
    for (let row = 0; row < high; row += 1) {
      if (this.#grid.rows[row]) order.push(this.#heading(row));
      for (let column = 0; column < wide; column += 1) {
        const cell = this.#grid.cells.find((other) => other.row === row && other.column === column);
        order.push(cell?.url ? this.#clip(cell, kept).node : this.#hole(row, column, cell));
      }
    }
    this.#drop(kept);
    order.forEach((node, index) => {
      if (this.list.children[index] !== node) this.list.insertBefore(node, this.list.children[index] ?? null);
    });
    while (this.list.children.length > order.length) this.list.lastChild.remove();
    this.playhead.clips = this.clips;
    this.plot.show(this.#grid.cells);
    this.look(this.#view);
  }

  /** Let go of every clip: it will not be shown again. */
  forget() {
    this.#drop(new Set());
  }

  /** What it shows now, row by row. */
  get clips() {
    return [...this.#clips.values()].sort((a, b) => a.cell.row - b.cell.row || a.cell.column - b.cell.column);
  }

  /** Side by side, or every cell against the one of its row in another column. */
  look(view, against = this.#against) {
    const other = view !== this.#view;
    this.#view = view;
    this.#against = against;
    mark(this, "data-view", view);
    if (other) this.#flicker();
    this.#paintView();
    this.#say();
    this.#draw();
  }

  #heading(row) {
    if (!this.#rows.has(row)) this.#rows.set(row, make("h3", { class: "o-clips-row" }));
    write(this.#rows.get(row), this.#grid.rows[row]);
    mark(this.#rows.get(row), "title", this.#grid.rows[row]);
    return this.#rows.get(row);
  }

  #clip(cell, kept) {
    const key = `${cell.row}:${cell.column}:${cell.url}`;
    kept.add(key);
    if (!this.#clips.has(key)) this.#clips.set(key, new Clip(cell, (clip) => this.#hear(clip)));
    const clip = this.#clips.get(key);
    clip.cell = { ...clip.cell, ...cell };
    clip.note(cell.notes);
    if (!("lost" in clip.node.dataset)) write(clip.tag, cell.label ?? "");
    return clip;
  }

  #hole(row, column, cell) {
    const key = `${row}:${column}`;
    if (!this.#holes.has(key)) {
      const [tag, said, bar] = [make("span", { class: "o-tag" }), make("p", {}), make("i", {})];
      const meter = make("span", { class: "o-bar", "aria-hidden": "true" }, bar);
      const way = make("a", { class: "o-btn", hidden: true });
      const notes = make("figcaption", { class: "o-clip-notes" });
      const node = make(
        "figure",
        { class: "o-clip", "data-hole": "" },
        make("div", { class: "o-clip-frame" }, tag, said, way, meter),
        notes,
      );
      this.#holes.set(key, { node, tag, said, way, bar, meter, notes });
    }
    const hole = this.#holes.get(key);
    write(hole.tag, cell?.label ?? this.#grid.columns[column] ?? "");
    write(hole.said, cell?.status?.words ?? "");
    mark(hole.node, "data-state", cell?.status?.state ?? "none");
    show(hole.way, Boolean(cell?.way));
    mark(hole.way, "href", cell?.way?.href);
    write(hole.way, cell?.way?.words ?? "");
    show(hole.meter, cell?.status?.share != null);
    hole.bar.style.width = `${100 * (cell?.status?.share ?? 0)}%`;
    hole.notes.replaceChildren(
      ...(cell?.notes ?? []).map(([words, tone, title]) => make("span", { "data-tone": tone, title }, words)),
    );
    return hole.node;
  }

  #drop(kept) {
    for (const [key, clip] of this.#clips) {
      if (kept.has(key)) continue;
      clip.forget();
      this.#clips.delete(key);
    }
  }

  /** The id of the item that is heard, if one is. */
  get heard() {
    return this.clips.find(({ video, cell }) => cell.sound && !video.muted)?.cell.id;
  }

  // Sound comes from one clip at a time.
  #hear(heard) {
    for (const clip of this.clips) clip.setHeard(clip === heard && clip.video.muted);
  }

  #divide(share) {
    this.#split = share;
    this.#draw();
  }

  #flicker() {
    clearInterval(this.#timer);
    this.#timer = this.#view === "flicker" ? setInterval(() => this.#flick(), FLICKER_MS) : 0;
  }

  #flick() {
    this.#phase = !this.#phase;
    mark(this, "data-phase", this.#phase ? "other" : "own");
    this.#draw();
  }

  #paint() {
    this.bar.paint();
    this.plot.mark();
    this.#draw();
  }

  #paintView() {
    const labels = this.#grid.columns.length ? this.#grid.columns : this.clips.map(({ cell }) => cell.label ?? "");
    this.bar.paintView(this.#view, { columns: labels, against: this.#against, zoom: this.zoom.scale });
  }

  // Every cell against the one of its row in the chosen column; that one stays as it is.
  #draw() {
    const painter = PAINTERS[this.#view];
    if (!painter && !this.drawn) return;
    this.drawn = Boolean(painter);
    const clips = this.clips;
    for (const clip of clips) {
      const other = clips.find(({ cell }) => cell.row === clip.cell.row && cell.column === this.#against);
      const paint =
        painter && other && other !== clip
          ? (...given) => painter({ split: this.#split, phase: this.#phase }, ...given)
          : null;
      clip.drawOver(other, paint);
    }
    if (painter && !this.playhead.playing) this.#again();
  }

  // A still that is on its way has nothing to be drawn yet.
  #again() {
    for (const { still } of this.clips) {
      if (!still.complete && !still.hidden) still.addEventListener("load", () => this.#draw(), { once: true });
    }
  }

  // Clips of other lengths, rates or sizes are aligned by time, and that is said.
  #say() {
    const clips = this.clips.filter((clip) => clip.length > 0);
    const sorts = (of) => [...new Set(clips.map(of))].sort((a, b) => a - b);
    const lengths = sorts((clip) => Number(clip.length.toFixed(3)));
    const rates = sorts((clip) => Number(clip.fps.toFixed(2)));
    const sizes = [...new Set(clips.map(({ cell }) => `${cell.width}×${cell.height}`))];
    const said = [
      lengths.length > 1 &&
        say("playhead.lengths", { lengths: lengths.map((length) => `${length.toFixed(2)} s`).join(", ") }),
      rates.length > 1 && say("playhead.rates", { rates: rates.join(", ") }),
      sizes.length > 1 && say("playhead.sizes", { sizes: sizes.join(", ") }),
    ].filter(Boolean);
    if (said.length) said.unshift(say("playhead.aligned"));
    const alone = this.#grid.cells.some((cell) => cell.column === this.#against && cell.gone);
    if (this.#view !== "side" && alone) said.push(say("playhead.against_gone"));
    show(this.bar.said, said.length > 0);
    write(this.bar.said, said.join(" "));
  }
}

customElements.define("o-playhead", OnePlayhead);
