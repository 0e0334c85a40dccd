// One thing to look at: a picture, a clip, or actions as curves.

import { nameOf } from "../data/job_words.js";
import { ActionsChart } from "./actions_chart.js";
import { ClipPlayer } from "./clip_player.js";
import { say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Waveform } from "./waveform.js";

export class Viewer {
  #id = null;

  constructor() {
    this.image = make("img", { alt: "", hidden: true });
    this.clip = make("video", { loop: true, playsinline: true, preload: "auto", hidden: true });
    this.clip.muted = true;
    this.clip.addEventListener("click", () => this.player.toggle());
    this.node = make("div", { class: "o-viewer" });
    this.player = new ClipPlayer(this.clip, this.node);
    this.wave = new Waveform(this.player);
    this.chart = new ActionsChart();
    this.words = make("p", { hidden: true });
    this.frame = make("div", { class: "o-viewer-frame" }, this.image, this.clip, this.chart.svg, this.words);
    this.node.append(this.frame, this.wave.node, this.player.node);
    for (const node of [this.image, this.clip])
      node.addEventListener("error", () => node.src && this.#say("viewer.gone"));
  }

  /** Show an item; null empties it. */
  show(item) {
    this.item = item;
    if (item?.id === this.#id) return;
    this.#id = item?.id ?? null;
    for (const node of [this.image, this.clip, this.chart.svg]) {
      node.removeAttribute("src");
      node.toggleAttribute("hidden", true);
    }
    show(this.words, false);
    this.#bar(null);
    mark(this.node, "data-type", item?.type);
    if (!item) return;
    if (item.missing) return this.#say("viewer.gone");
    if (item.mime === "application/json") return this.#draw(item);
    const shown = { image: this.image, video: this.clip }[item.type];
    if (!shown) return this.#say("viewer.none");
    this.node.style.setProperty("--o-ratio", item.width && item.height ? item.width / item.height : 16 / 9);
    mark(shown, item.type === "image" ? "alt" : "aria-label", nameOf(item));
    shown.src = item.url;
    shown.toggleAttribute("hidden", false);
    if (item.type === "video") this.player.take(item);
    this.#bar(item.type === "video" ? item : null);
  }

  // What stands below a clip.
  #bar(clip) {
    show(this.player.node, Boolean(clip));
    show(this.wave.node, Boolean(clip?.has_sound));
    mark(this.node, "data-sound", clip?.has_sound ? "" : null);
    this.wave.show(clip);
  }

  async #draw(item) {
    this.node.style.setProperty("--o-ratio", 16 / 9);
    const drawn = await this.chart.load(item.url);
    if (item.id !== this.#id) return;
    if (drawn) this.chart.svg.toggleAttribute("hidden", false);
    else this.#say("viewer.gone");
  }

  #say(key) {
    for (const node of [this.image, this.clip]) node.toggleAttribute("hidden", true);
    this.#bar(null);
    write(this.words, say(key));
    show(this.words, true);
  }
}
