// Moving the pointer over a clip's picture runs through its frames, from one sheet that is fetched on the first touch.

import { make, show } from "../parts/nodes.js";

const layouts = new Map(); // sheet URL → promise of the layout

export class Scrub {
  #url = null;

  constructor(frame) {
    this.frame = frame;
    this.sheet = make("span", { class: "o-scrub", hidden: true });
    this.bar = make("i");
    this.line = make("span", { class: "o-scrub-bar", hidden: true }, this.bar);
    frame.append(this.sheet, this.line);
    frame.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.#at(event));
    frame.addEventListener("pointerleave", () => this.#rest());
  }

  /** The sheet of another clip; null where there is none. */
  of(url) {
    if (url === this.#url) return;
    this.#url = url;
    this.#rest();
  }

  #rest() {
    show(this.sheet, false);
    show(this.line, false);
  }

  async #at({ clientX }) {
    const url = this.#url;
    if (!url) return;
    if (!layouts.has(url)) layouts.set(url, this.#fetch(url));
    const layout = await layouts.get(url);
    if (!layout || url !== this.#url || !this.frame.matches(":hover")) return;
    const { left, width, height } = this.frame.getBoundingClientRect();
    const share = Math.min(Math.max((clientX - left) / width, 0), 0.9999);
    const frame = Math.floor(share * layout.num_frames);
    // One frame of the sheet fits into the picture as the thumbnail does: whole, centred.
    const scale = Math.min(width / layout.frame_width, height / layout.frame_height);
    const [wide, high] = [layout.frame_width * scale, layout.frame_height * scale];
    Object.assign(this.sheet.style, {
      width: `${wide}px`,
      height: `${high}px`,
      backgroundImage: `url("${url}")`,
      backgroundSize: `${wide * layout.columns}px ${high * layout.rows}px`,
      backgroundPosition: `${-(frame % layout.columns) * wide}px ${-Math.floor(frame / layout.columns) * high}px`,
    });
    this.bar.style.width = `${((frame + 1) / layout.num_frames) * 100}%`;
    show(this.sheet, true);
    show(this.line, true);
  }

  async #fetch(url) {
    try {
      const reply = await fetch(`${url}?layout=json`);
      if (!reply.ok) return null;
      const layout = await reply.json();
      const image = new Image();
      image.src = url;
      await image.decode();
      return layout;
    } catch {
      layouts.delete(url);
      return null;
    }
  }
}
