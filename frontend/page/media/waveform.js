// A clip's sound as a line of peaks with the playhead on it; a click goes there.

import { say } from "../data/facts.js";
import { make, mark } from "../parts/nodes.js";

const BARS = 240;

export class Waveform {
  #url = "";

  constructor(player) {
    this.player = player;
    this.canvas = make("canvas", { width: 2 * BARS * 3, height: 96, role: "img", "aria-label": say("waveform.label") });
    this.head = make("i");
    this.node = make("div", { class: "o-wave", hidden: true }, this.canvas, this.head);
    this.node.addEventListener("pointerdown", ({ offsetX }) => {
      player.goTo(Math.min(Math.floor((offsetX / this.node.clientWidth) * player.frames), player.frames - 1));
    });
    player.addEventListener("frame", ({ detail }) => {
      this.head.style.left = `${(100 * (detail + 0.5)) / player.frames}%`;
    });
  }

  /** Draw the sound of a result, or nothing. */
  async show(result) {
    const url = result?.has_sound ? `/v1/media/${result.id}/waveform` : "";
    if (url === this.#url) return;
    this.#url = url;
    this.#draw([]);
    if (!url) return;
    const reply = await fetch(url).catch(() => null);
    const channels = reply?.ok ? (await reply.json()).peaks : [[]];
    if (url === this.#url) this.#draw(channels[0].map((_, at) => Math.max(...channels.map((channel) => channel[at]))));
  }

  #draw(peaks) {
    const { width, height } = this.canvas;
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    context.fillStyle = "#4fd1c5";
    const loudest = Math.max(...peaks, 1e-3);
    for (let bar = 0; bar < BARS; bar += 1) {
      const from = Math.floor((bar * peaks.length) / BARS);
      const to = Math.max(Math.floor(((bar + 1) * peaks.length) / BARS), from + 1);
      const peak = Math.max(0, ...peaks.slice(from, to)) / loudest;
      const tall = Math.max(2, peak * (height - 8));
      context.fillRect((bar * width) / BARS + 1, (height - tall) / 2, width / BARS - 2, tall);
    }
    mark(this.node, "data-peaks", peaks.length);
  }
}
