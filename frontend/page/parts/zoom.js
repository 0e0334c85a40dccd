// Zoom and pan, shared by every frame that it moves: the buttons, Ctrl and the wheel, dragging once it is closer than whole.

import { Store } from "../data/store.js";

const MOST = 16;

export class Zoom extends Store {
  #frame;
  #drag = null;
  scale = 1;
  x = 0; // of the cell's width, to the right
  y = 0;

  /** `frame` selects the boxes that are looked into. */
  constructor(frame) {
    super();
    this.#frame = frame;
  }

  /** Closer by a factor; 0 is whole again. */
  by(factor, at = [0.5, 0.5]) {
    const scale = factor ? Math.min(Math.max(this.scale * factor, 1), MOST) : 1;
    const grown = scale / this.scale;
    this.scale = scale;
    // What is below the pointer stays there.
    this.#pan((at[0] - 0.5) * (1 - grown) + this.x * grown, (at[1] - 0.5) * (1 - grown) + this.y * grown);
  }

  /** What the element around the frames has of it: its properties move them. */
  get attributes() {
    return {
      style: { "--o-zoom": this.scale, "--o-pan-x": `${100 * this.x}%`, "--o-pan-y": `${100 * this.y}%` },
      "data-zoomed": this.scale > 1 ? "" : null,
      onWheel: (event) => this.#wheel(event),
      onPointerDown: (event) => this.#grab(event),
      onPointerMove: (event) => this.#move(event),
      onLostPointerCapture: () => (this.#drag = null),
    };
  }

  #pan(x, y) {
    const most = (this.scale - 1) / 2;
    this.x = Math.min(Math.max(x, -most), most);
    this.y = Math.min(Math.max(y, -most), most);
    this.changed();
  }

  #place(event) {
    const frame = event.target.closest?.(this.#frame);
    if (!frame) return null;
    const { left, top, width, height } = frame.getBoundingClientRect();
    return [(event.clientX - left) / width, (event.clientY - top) / height, width, height];
  }

  #wheel(event) {
    const at = event.ctrlKey && this.#place(event);
    if (!at) return;
    event.preventDefault();
    this.by(event.deltaY < 0 ? 1.25 : 0.8, at);
  }

  #grab(event) {
    const at = this.scale > 1 && !event.target.closest("button") && this.#place(event);
    if (!at) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#drag = { from: [event.clientX, event.clientY], pan: [this.x, this.y], size: at.slice(2) };
  }

  #move(event) {
    if (!this.#drag) return;
    const { from, pan, size } = this.#drag;
    this.#pan(pan[0] + (event.clientX - from[0]) / size[0], pan[1] + (event.clientY - from[1]) / size[1]);
  }
}
