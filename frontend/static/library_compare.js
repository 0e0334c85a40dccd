// Two things beside each other: pictures under one slider, clips under one playhead.

import { say } from "./facts.js";
import { icon, iconButton } from "./icons.js";
import { nameOf } from "./library_store.js";
import { make, mark, show, write } from "./nodes.js";
import { Playhead } from "./playhead.js";

class Compare extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const title = make("h2", { id: "library-compare-title" }, say("compare.title"));
    this.sides = ["a", "b"].map((side) => ({
      image: make("img", { alt: "", hidden: true }),
      clip: make("video", { muted: true, playsinline: true, preload: "auto", loop: true, hidden: true }),
      tag: make("span", { class: "o-tag" }, side.toUpperCase()),
      words: make("p", { class: "o-meta" }),
    }));
    this.stage = make(
      "div",
      { class: "o-compare-stage" },
      ...this.sides.map(({ image, clip, tag }, index) => make("div", { class: "o-compare-side", "data-side": index }, image, clip, tag)),
    );
    this.split = make("input", {
      type: "range",
      min: 0,
      max: 100,
      step: 0.5,
      class: "o-compare-split",
      "aria-label": say("compare.split"),
      on: { input: () => this.#divide() },
    });
    this.play = iconButton("play", say("compare.play"), () => this.playhead.toggle(), { quiet: true, "data-do": "play" });
    this.clock = make("span", { class: "o-num" });
    this.seek = make("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": say("compare.seek"), on: { input: () => this.playhead.seek(Number(this.seek.value)) } });
    this.controls = make("div", { class: "o-compare-controls" }, this.play, this.clock, this.seek);
    this.dialog = make(
      "dialog",
      { class: "o-sheet o-compare", "aria-labelledby": title.id, on: { close: () => this.playhead.pause(), keydown: (event) => this.#key(event) } },
      make("header", {}, title, iconButton("close", say("error.close"), () => this.dialog.close(), { quiet: true })),
      this.stage,
      this.split,
      this.controls,
      make("div", { class: "o-compare-words" }, ...this.sides.map(({ words }) => words)),
    );
    this.append(this.dialog);
    this.playhead = new Playhead(this.sides.map(({ clip }) => clip), () => this.#paint());
  }

  /** Show two items. */
  open(items) {
    const clips = items.every(({ type }) => type === "video");
    const pictures = items.every(({ type }) => type === "image");
    mark(this.stage, "data-form", pictures ? "slider" : "beside");
    this.fps = Math.max(...items.map(({ fps }) => fps ?? 0)) || 24;
    items.forEach((item, index) => {
      const { image, clip, words } = this.sides[index];
      const shown = item.type === "image" ? image : clip;
      for (const node of [image, clip]) {
        node.removeAttribute("src");
        show(node, node === shown);
      }
      shown.src = item.url;
      mark(shown, item.type === "image" ? "alt" : "aria-label", nameOf(item));
      write(words, nameOf(item));
    });
    const [{ width, height }] = items;
    this.stage.style.setProperty("--o-ratio", width && height ? width / height : 16 / 9);
    this.split.value = 50;
    this.#divide();
    show(this.split, pictures);
    show(this.controls, !pictures);
    this.dialog.showModal();
    if (clips) this.playhead.begin(this.fps);
    (pictures ? this.split : this.play).focus();
  }

  #divide() {
    this.stage.style.setProperty("--o-split", `${this.split.value}%`);
    this.split.style.setProperty("--range_progress", `${this.split.value}%`);
  }

  #paint() {
    const { time, duration, playing } = this.playhead;
    this.seek.max = duration || 1;
    this.seek.value = time;
    this.seek.style.setProperty("--range_progress", `${(100 * time) / (duration || 1)}%`);
    const frames = Math.max(Math.round(duration * this.fps), 1);
    const frame = Math.min(Math.floor(time * this.fps + 1e-6) + 1, frames);
    write(this.clock, say("compare.clock", { time: time.toFixed(2), frame, frames }));
    const name = playing ? "pause" : "play";
    if (this.play.firstChild.dataset.icon !== name) {
      this.play.replaceChildren(icon(name));
      mark(this.play, "aria-label", say(`compare.${name}`));
    }
  }

  #key(event) {
    if (this.controls.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "k") this.playhead.toggle();
    else if (key === "j") this.playhead.step(-1);
    else if (key === "l") this.playhead.step(1);
    else return;
    event.preventDefault();
  }
}

customElements.define("o-library-compare", Compare);
