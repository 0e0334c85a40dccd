// Zoom and pan that all cells share: the buttons, Ctrl and the wheel, dragging once it is closer than whole.

const MOST = 16;

export class PlayheadZoom {
  #drag = null;
  scale = 1;
  x = 0; // of the cell's width, to the right
  y = 0;

  /** `list` holds the cells; its custom properties move them. */
  constructor(list, changed) {
    this.list = list;
    this.changed = changed;
    list.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    list.addEventListener("pointerdown", (event) => this.#grab(event));
    list.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) list.addEventListener(name, () => (this.#drag = null));
  }

  /** Closer by a factor; 0 is whole again. */
  by(factor, at = [0.5, 0.5]) {
    const scale = factor ? Math.min(Math.max(this.scale * factor, 1), MOST) : 1;
    const grown = scale / this.scale;
    // What is below the pointer stays there.
    this.x = (at[0] - 0.5) * (1 - grown) + this.x * grown;
    this.y = (at[1] - 0.5) * (1 - grown) + this.y * grown;
    this.scale = scale;
    this.#apply();
  }

  #apply() {
    const most = (this.scale - 1) / 2;
    this.x = Math.min(Math.max(this.x, -most), most);
    this.y = Math.min(Math.max(this.y, -most), most);
    for (const [name, value] of [
      ["--o-zoom", this.scale],
      ["--o-pan-x", `${100 * this.x}%`],
      ["--o-pan-y", `${100 * this.y}%`],
    ])
      this.list.style.setProperty(name, value);
    this.list.toggleAttribute("data-zoomed", this.scale > 1);
    this.changed();
  }

  #place(event) {
    const frame = event.target.closest?.(".o-clip-frame");
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
    this.list.setPointerCapture(event.pointerId);
    this.#drag = { from: [event.clientX, event.clientY], pan: [this.x, this.y], size: at.slice(2) };
  }

  #move(event) {
    if (!this.#drag) return;
    const { from, pan, size } = this.#drag;
    this.x = pan[0] + (event.clientX - from[0]) / size[0];
    this.y = pan[1] + (event.clientY - from[1]) / size[1];
    this.#apply();
  }
}
