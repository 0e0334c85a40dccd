// One cell under a playhead: a picture, or a clip that shows its thumbnail, then sprites, then its own frames.

import { say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { icon } from "../parts/icons.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { PlayheadVideo, happens } from "./video.js";
import { SpriteSheet } from "./sprite_sheet.js";

// Larger clips are streamed; smaller ones are fetched whole, so that they share no connection.
const MOST_HELD_BYTES = 64e6;
const MOST_DRAWN = 960; // pixels across of what is drawn over another cell

export class Clip extends PlayheadVideo {
  #forgotten = false;
  #loading = null;
  #blob = null;

  /** `heard` is told when a person wants its sound. */
  constructor(cell, heard) {
    const clip = cell.type === "video";
    const fps = cell.fps || 24;
    const video = make("video", {
      class: "o-clip-video",
      muted: true,
      playsinline: true,
      preload: "auto",
      hidden: true,
      "aria-label": cell.name ?? "",
    });
    super(video, { fps, length: clip ? cell.length || (cell.frames || 1) / fps : 0 });
    this.cell = cell;
    this.still = make("img", {
      class: "o-clip-still",
      alt: cell.name ?? "",
      src: clip ? cell.thumbnail : cell.url,
      decoding: "async",
    });
    this.drawn = make("canvas", { class: "o-clip-drawn", hidden: true });
    this.video.muted = true;
    this.over = make("canvas", { class: "o-clip-over", hidden: true });
    this.view = make("div", { class: "o-clip-view" }, this.still, this.drawn, this.video, this.over);
    this.tag = make("span", { class: "o-tag" }, cell.label ?? "");
    this.sound = make(
      "button",
      { type: "button", class: "o-clip-sound", hidden: !cell.sound, on: { click: () => heard(this) } },
      icon("silent", 15),
    );
    this.setHeard(false);
    this.frame = make("div", { class: "o-clip-frame" }, this.view, this.tag, this.sound);
    this.notes = make("figcaption", { class: "o-clip-notes" });
    this.node = make(
      "figure",
      { class: "o-clip", "data-media": cell.id ?? null, "data-showing": "still" },
      this.frame,
      this.notes,
    );
    this.sheet = clip && cell.sheet ? new SpriteSheet(cell.sheet, cell.layout) : null;
    this.still.hidden = !(clip ? cell.thumbnail : cell.url);
    this.note(cell.notes);
  }

  /** Lines below it: [words, how they are meant]. */
  note(notes = []) {
    const said = JSON.stringify(notes);
    if (said === this.said) return;
    this.said = said;
    this.notes.replaceChildren(
      ...notes.map(([words, tone, title]) => make("span", { "data-tone": tone, title }, words)),
    );
  }

  setHeard(heard) {
    this.video.muted = !heard;
    mark(this.sound, "aria-pressed", String(heard));
    const words = say(heard ? "playhead.silence" : "playhead.hear", { name: this.cell.label ?? "" });
    mark(this.sound, "aria-label", words);
    mark(this.sound, "title", words);
    this.sound.replaceChildren(icon(heard ? "loud" : "silent", 15));
  }

  /** Show the sprite of a time; the thumbnail stays until the sheet is there. */
  sprite(time) {
    if (!this.sheet?.draw(this.drawn, Math.min(time, this.length))) return;
    this.#show("sprite");
  }

  /** Show the very frame of a time. Resolves when it is decoded, or cannot be. */
  async exact(time) {
    if (!(await this.load())) return;
    await super.exact(time);
    this.#show("video");
  }

  /** Fetch the clip itself; false when it cannot be had. */
  load() {
    this.#loading ??= this.#fetch();
    return this.#loading;
  }

  /** What it shows now, to be drawn elsewhere: [image, x, y, width, height] of the part; null when there is nothing. */
  source() {
    const { showing } = this.node.dataset;
    const node = { video: this.video, sprite: this.drawn, still: this.still }[showing];
    // Of a picture that could not be shown, both are 0.
    const [width, height] = [
      node.videoWidth ?? node.naturalWidth ?? node.width,
      node.videoHeight ?? node.naturalHeight ?? node.height,
    ];
    return width && height ? [node, width, height] : null;
  }

  /**
   * Draw itself and another clip into one picture, by `paint(context, width, height, own, other)`; null takes it away.
   */
  drawOver(other, paint) {
    const [own, base] = paint ? [this.source(), other?.source()] : [];
    show(this.over, Boolean(own && base));
    if (!own || !base) return;
    const width = Math.min(this.cell.width || own[1], MOST_DRAWN);
    const height = Math.round((width * (this.cell.height || own[2])) / (this.cell.width || own[1]));
    if (this.over.width !== width || this.over.height !== height) Object.assign(this.over, { width, height });
    paint(this.over.getContext("2d"), width, height, own[0], base[0]);
  }

  /** Let go of what it holds. */
  forget() {
    this.#forgotten = true;
    this.rest();
    this.video.removeAttribute("src");
    this.video.load();
    if (this.#blob) URL.revokeObjectURL(this.#blob);
  }

  async #fetch() {
    const { url, size } = this.cell;
    try {
      if (location.protocol !== "file:" && !(size > MOST_HELD_BYTES)) {
        const reply = await fetch(url);
        if (!reply.ok) throw new Error(String(reply.status));
        const held = await reply.blob();
        if (this.#forgotten) return false;
        this.#blob = URL.createObjectURL(held);
      }
      this.video.src = this.#blob ?? url;
      await happens(this.video, "loadeddata");
      return true;
    } catch {
      const isGone = location.protocol === "file:" || (await lost.check(this.cell.id));
      this.#loading = null; // where it is the server that does not answer, it is asked again
      if (isGone === null) return false;
      mark(this.node, "data-lost", "");
      write(this.tag, say(isGone ? "playhead.gone" : "playhead.unplayable", { name: this.cell.label ?? "" }));
      this.length = 0;
      return false;
    }
  }

  #show(what) {
    if (this.node.dataset.showing === what) return;
    this.node.dataset.showing = what;
    show(this.video, what === "video");
    show(this.drawn, what === "sprite");
    show(this.still, what === "still");
  }
}
