// A recorded run played again beside its joints, under one playhead. It lies over what is live, but never over the
// stop.

import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { hintOf } from "../data/faults.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Playhead } from "../playhead/playhead.js";
import { PlayheadVideo, happens } from "../playhead/video.js";
import { EpisodePlot } from "./episode_plot.js";
import { robot } from "./link.js";
import { readClip, readEpisode } from "./recordings.js";

const VIEWS = ["wrist", "exterior_1", "exterior_2"];

export class EpisodePlayer {
  #addresses = [];
  #number = 0; // of what was opened; what comes for an older one is let go
  #totalS = 0;

  constructor() {
    this.title = make("b", { id: "robot-episode-title" });
    this.close = this.#button("close", () => this.shut());
    this.clips = VIEWS.map((view) =>
      make("video", { muted: true, playsinline: true, "aria-label": say(`episode.view.${view}`), "data-view": view }),
    );
    for (const clip of this.clips) clip.muted = true; // the attribute counts only for what is parsed
    this.playhead = new Playhead();
    this.playhead.addEventListener("change", () => this.#paint());
    this.plot = new EpisodePlot();
    this.plot.node.addEventListener("pointerdown", (event) => this.#drag(event));
    this.plot.node.addEventListener("pointermove", (event) => event.buttons && this.#drag(event));
    this.play = this.#button("play", () => this.playhead.toggle());
    this.position = make("input", {
      type: "range",
      min: 0,
      max: 1000,
      step: 1,
      value: 0,
      "aria-label": say("episode.position"),
    });
    this.position.addEventListener("input", () => this.#seek(this.position.value / 1000));
    this.time = make("span", { class: "o-num" });
    this.node = make(
      "section",
      { class: "o-episode", hidden: true, "aria-labelledby": this.title.id },
      make("header", {}, this.title, this.close),
      make(
        "div",
        { class: "o-episode-seen" },
        make("div", { class: "o-episode-clips" }, ...this.clips),
        this.plot.node,
      ),
      make("div", { class: "o-episode-bar" }, this.play, this.position, this.time),
    );
    this.node.addEventListener("keydown", (event) => event.key === "Escape" && !robot.engaged && this.shut());
    const [lead] = this.clips;
    lead.addEventListener("error", () => lead.src && toast(say("episode.no_clip"), "", "bad"));
  }

  async open(name, index) {
    this.shut();
    const number = ++this.#number;
    try {
      const episode = await readEpisode(name, index);
      const clips = await Promise.all(VIEWS.map((view) => readClip(name, index, view)));
      if (number === this.#number) await this.#show(episode, clips, number);
    } catch (error) {
      if (number === this.#number) toast(error.message || say("episode.gone"), hintOf(error), "bad");
    }
  }

  shut() {
    this.#number++;
    if (this.playhead.playing) this.playhead.pause();
    this.playhead.clips = [];
    for (const clip of this.clips) {
      clip.removeAttribute("src");
      clip.load(); // or it goes on reading what is let go below
    }
    for (const address of this.#addresses) URL.revokeObjectURL(address);
    this.#addresses = [];
    show(this.node, false);
  }

  async #show(episode, clips, number) {
    const fps = episode.frames_per_second;
    this.#totalS = episode.num_frames / fps;
    this.#addresses = clips.map((clip) => URL.createObjectURL(clip));
    const loaded = Promise.all(this.clips.map((clip) => happens(clip, "loadeddata").catch(() => {})));
    this.clips.forEach((clip, index) => (clip.src = this.#addresses[index]));
    write(this.title, `${episode.index}  ${episode.task || say("episode.untold")}`);
    document.querySelector(".o-cockpit").append(this.node);
    show(this.node, true);
    this.plot.episode = episode;
    this.#paint();
    this.play.focus();
    await loaded;
    if (number !== this.#number) return;
    this.playhead.time = 0;
    this.playhead.clips = this.clips
      .filter((clip) => clip.readyState)
      .map((clip) => new PlayheadVideo(clip, { fps, length: clip.duration }));
    if (this.playhead.length) this.playhead.play();
  }

  #button(name, act) {
    return make(
      "button",
      { type: "button", class: "o-btn", "data-do": `episode-${name}`, on: { click: act } },
      say(`episode.${name}`),
    );
  }

  #drag(event) {
    event.preventDefault();
    this.#seek(this.plot.shareAt(event));
  }

  #seek(share) {
    this.playhead.scrub(Math.floor(share * this.playhead.frames));
  }

  #paint() {
    if (this.node.hidden) return;
    const { frame, fps, playing } = this.playhead;
    const at = frame / fps;
    const share = this.#totalS ? Math.min(at / this.#totalS, 1) : 0;
    this.plot.share = share;
    this.position.value = 1000 * share;
    this.position.style.setProperty("--range_progress", `${100 * share}%`);
    const words = say("episode.at", { at: at.toFixed(1), total: this.#totalS.toFixed(1) });
    write(this.time, words);
    mark(this.position, "aria-valuetext", words);
    write(this.play, say(playing ? "episode.pause" : "episode.play"));
  }
}
