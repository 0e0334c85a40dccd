// A control as the model will see it: one frame that follows the form, and on request the whole clip.

import { say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { remember } from "../media/media_facts.js";
import { make, mark, show, write } from "../parts/nodes.js";

const SETTLE_MS = 250; // after the last change, before a frame is computed

export class ControlPreview {
  #url = "";
  #timer = 0;
  #asked = null;
  #computing = null;

  constructor(hint, take) {
    this.hint = hint;
    this.take = take;
    this.image = make("img", { alt: say("controls.preview", { hint: say(`hint.${hint}`) }) });
    this.clip = make("video", {
      controls: true,
      loop: true,
      playsinline: true,
      hidden: true,
      "aria-label": say("controls.whole", { hint: say(`hint.${hint}`) }),
    });
    this.clip.muted = true;
    this.status = make("span", { class: "o-media-status", role: "status" });
    this.at = make("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.05,
      value: 0.5,
      "aria-label": say("controls.at"),
    });
    this.at.addEventListener("input", () => this.#later());
    this.whole = make(
      "button",
      { type: "button", class: "o-btn", on: { click: () => this.#compute() } },
      say("controls.watch"),
    );
    this.use = make(
      "button",
      { type: "button", class: "o-btn", hidden: true, on: { click: () => this.take(this.made.id) } },
      say("controls.use_clip"),
    );
    this.node = make(
      "div",
      { class: "o-control-preview", hidden: true },
      make("div", { class: "o-control-frame" }, this.image, this.clip),
      this.at,
      make("div", { class: "o-control-buttons" }, this.whole, this.use),
      this.status,
    );
    this.image.addEventListener("load", () => {
      show(this.image, this.clip.hidden);
      mark(this.node, "data-ready", "true");
      write(this.status, "");
    });
    this.image.addEventListener("error", () => {
      if (!this.image.getAttribute("src")) return;
      show(this.image, false);
      write(this.status, say("controls.no_preview"));
    });
  }

  /** Follow the form; null hides it. */
  show(asked) {
    show(this.node, Boolean(asked));
    if (!asked) return;
    const { source, strength, resolution, aspect_ratio: shape, fps } = asked;
    const next = JSON.stringify([source, strength, resolution, shape, fps]);
    if (this.#asked && next === this.key) return;
    this.key = next;
    this.#asked = { source, strength, resolution, shape, fps };
    this.#stop();
    this.#later();
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), SETTLE_MS);
  }

  #draw() {
    const { source, strength, resolution, shape } = this.#asked;
    const options = new URLSearchParams({
      hint: this.hint,
      strength,
      resolution,
      aspect_ratio: shape,
      at: this.at.value,
    });
    const url = `/v1/media/${source}/control?${options}`;
    if (url === this.#url) return;
    this.#url = url;
    this.image.src = url;
  }

  #stop() {
    this.#computing?.abort();
    this.#computing = null;
    this.clip.pause();
    show(this.clip, false);
    show(this.image, true);
    show(this.use, false);
    show(this.at, true);
    write(this.whole, say("controls.watch"));
  }

  // The whole of it takes seconds to minutes; a second press stops it.
  async #compute() {
    if (this.#computing) return this.#stop();
    const { source, strength, resolution, shape, fps } = this.#asked;
    this.#computing = new AbortController();
    write(this.whole, say("controls.stop"));
    write(this.status, say("controls.computing"));
    const body = JSON.stringify({
      source_video: source,
      hint: this.hint,
      strength,
      resolution,
      aspect_ratio: shape,
      fps,
    });
    try {
      const reply = await fetch("/v1/controls", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
        signal: this.#computing.signal,
      });
      const answer = await reply.json();
      this.#stop();
      if (!reply.ok) return write(this.status, faultWords(answer.error));
      this.made = remember(answer);
      this.clip.src = answer.url;
      show(this.clip, true);
      show(this.image, false);
      show(this.at, false);
      show(this.use, true);
      write(this.status, "");
      this.clip.play().catch(() => {});
    } catch {
      this.#stop();
      write(this.status, "");
    }
  }
}
