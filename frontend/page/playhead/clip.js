// One cell under a playhead: a picture, or a clip that shows its thumbnail, then sprites, then its own frames.

import { say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { Icon } from "../parts/icons.js";
import { PlayheadVideo, happens } from "./video.js";
import { SpriteSheet } from "./sprite_sheet.js";
import { html, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";

// Larger clips are streamed; smaller ones are fetched whole, so that they share no connection.
const MOST_HELD_BYTES = 64e6;
const MOST_DRAWN = 960; // pixels across of what is drawn over another cell

/** Frames per second of a cell, and its seconds; what does not move has none. */
export function paceOf({ type, fps, length, frames }) {
  const pace = fps || 24;
  return { fps: pace, length: type === "video" ? length || (frames || 1) / pace : 0 };
}

/** Below a cell: [words, how they are meant, title]. */
export const Notes = ({ notes = [] }) => html`
  <figcaption class="o-clip-notes">
    ${notes.map(([words, tone, title]) => html`<span data-tone=${tone} title=${title}>${words}</span>`)}
  </figcaption>
`;

/** `clips` gets its Clip while it is there; `hear` is called when a person wants its sound, or no longer. */
export function ClipFigure({ cell, clips, isHeard, hear, loaded }) {
  const node = useRef(null);
  const clip = useRef(null);
  const failed = useSignal(""); // which words say why it cannot be played
  useLayoutEffect(() => {
    clip.current = new Clip(node.current, cell, failed);
    clips.add(clip.current);
    return () => {
      clips.delete(clip.current);
      clip.current.forget();
    };
  }, []);
  useLayoutEffect(() => {
    clip.current.cell = cell;
  });
  const { name = "", label = "" } = cell;
  const still = cell.type === "video" ? cell.thumbnail : cell.url;
  const hears = say(isHeard ? "playhead.silence" : "playhead.hear", { name: label });
  return html`
    <figure ref=${node} class="o-clip" data-media=${cell.id} data-showing="still" data-lost=${failed.value ? "" : null}>
      <div class="o-clip-frame">
        <div class="o-clip-view">
          <img class="o-clip-still" alt=${name} src=${still} decoding="async" hidden=${!still} onLoad=${loaded} />
          <canvas class="o-clip-drawn" hidden />
          <video class="o-clip-video" muted=${!isHeard} playsinline preload="auto" hidden aria-label=${name} />
          <canvas class="o-clip-over" hidden />
        </div>
        <span class="o-tag">${failed.value ? say(failed.value, { name: label }) : label}</span>
        ${
          cell.sound &&
          html`<button
            type="button"
            class="o-clip-sound"
            aria-pressed=${String(isHeard)}
            aria-label=${hears}
            title=${hears}
            onClick=${hear}
          >
            <${Icon} name=${isHeard ? "loud" : "silent"} size=${15} />
          </button>`
        }
        ${
          cell.enlarge &&
          html`<button
            type="button"
            class="o-clip-grow"
            aria-label=${say("playhead.enlarge", { name: label })}
            title=${say("playhead.enlarge", { name: label })}
            onClick=${cell.enlarge}
          >
            <${Icon} name="grow" size=${15} />
          </button>`
        }
      </div>
      <${Notes} notes=${cell.notes} />
    </figure>
  `;
}

class Clip extends PlayheadVideo {
  #forgotten = false;
  #loading = null;
  #blob = null;

  constructor(node, cell, failed) {
    const [still, drawn, video, over] = node.querySelector(".o-clip-view").children;
    super(video, paceOf(cell));
    this.node = node;
    this.cell = cell;
    this.failed = failed;
    this.still = still;
    this.drawn = drawn;
    this.over = over;
    this.sheet = cell.type === "video" && cell.sheet ? new SpriteSheet(cell.sheet, cell.layout) : null;
  }

  /** Show the sprite of a time; the thumbnail stays until the sheet is there. */
  sprite(time) {
    if (this.sheet?.draw(this.drawn, Math.min(time, this.length))) this.#show("sprite");
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

  /** What it shows now, to be drawn elsewhere: [image, width, height]; null when there is nothing. */
  source() {
    const node = { video: this.video, sprite: this.drawn, still: this.still }[this.node.dataset.showing];
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
    const [own, base] = paint ? [this.source(), other.source()] : [];
    this.over.hidden = !(own && base);
    if (this.over.hidden) return;
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
      this.failed.value = isGone ? "playhead.gone" : "playhead.unplayable";
      this.length = 0;
      return false;
    }
  }

  #show(what) {
    if (this.node.dataset.showing === what) return;
    this.node.dataset.showing = what;
    this.video.hidden = what !== "video";
    this.drawn.hidden = what !== "sprite";
    this.still.hidden = true;
  }
}
