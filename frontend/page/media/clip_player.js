// A clip's controls: play, step by frames, seek, sound, speed, full screen. J and L or the arrows step, K plays.

import { say } from "../data/facts.js";
import { icon } from "../parts/icons.js";
import { isTyping } from "../parts/keyboard.js";
import { make, mark, show, write } from "../parts/nodes.js";

const SPEEDS = [1, 0.5, 0.25, 2];
const KEYS = { j: -1, ArrowLeft: -1, l: 1, ArrowRight: 1 };
const TAKES_ARROWS =
  "[role=radio], [role=slider], [role=menu], input[type=range], select, o-strip button, .o-tile, .o-popover";

export class ClipPlayer extends EventTarget {
  /**
   * `video` is the element that it drives, `whole` what is grown to the full screen: both, and the bar, which is
   * `node`.
   */
  constructor(video, whole) {
    super();
    this.video = video;
    this.whole = whole;
    this.frames = 1;
    this.fps = 24;
    const button = (name, words, act) =>
      make(
        "button",
        { type: "button", class: "o-play", "aria-label": words, title: words, on: { click: act } },
        icon(name, 17),
      );
    this.play = button("play", say("player.play"), () => this.toggle());
    this.seek = make("input", { type: "range", min: 0, step: 1, "aria-label": say("player.seek") });
    this.place = make("span", { class: "o-num" });
    this.mute = button("silent", say("player.unmute"), () => this.setMuted(!video.muted));
    this.speed = make(
      "button",
      { type: "button", class: "o-play o-num", "aria-label": say("player.speed"), title: say("player.speed") },
      "1×",
    );
    this.speed.addEventListener("click", () => this.#faster());
    this.grow = button("grow", say("player.grow"), () => this.#grow());
    this.node = make(
      "div",
      { class: "o-player", role: "group", "aria-label": say("player.label"), hidden: true },
      button("back", say("player.back"), () => this.step(-1)),
      this.play,
      button("forward", say("player.forward"), () => this.step(1)),
      this.seek,
      this.place,
      this.speed,
      this.mute,
      this.grow,
    );
    document.addEventListener("fullscreenchange", () => this.#paint());
    this.seek.addEventListener("input", () => this.goTo(Number(this.seek.value)));
    for (const event of ["play", "pause", "volumechange", "seeked", "loadeddata"])
      video.addEventListener(event, () => this.#paint());
    const follow = () => {
      this.#paint();
      if (video.isConnected) video.requestVideoFrameCallback?.(follow);
    };
    video.requestVideoFrameCallback?.(follow);
    addEventListener("keydown", (event) => this.#key(event));
  }

  /** Take a clip: how many frames it has, how fast, and whether it is heard. */
  take({ num_frames: frames, fps, has_sound: sound }) {
    this.frames = frames || 1;
    this.fps = fps || 24;
    this.seek.max = this.frames - 1;
    show(this.mute, Boolean(sound));
    this.#paint();
  }

  get frame() {
    return Math.min(Math.floor(this.video.currentTime * this.fps + 1e-3), this.frames - 1);
  }

  toggle() {
    if (this.video.paused) this.video.play().catch(() => {});
    else this.video.pause();
  }

  /** Stop, and show the frame so many further on; past the last comes the first. */
  step(by) {
    this.video.pause();
    this.goTo((this.frame + by + this.frames) % this.frames);
  }

  goTo(frame) {
    this.video.currentTime = (frame + 0.5) / this.fps; // the middle of a frame is that frame, however the player rounds
    this.#paint(frame);
  }

  setMuted(muted) {
    this.video.muted = muted;
  }

  get #isGrown() {
    return document.fullscreenElement === this.whole;
  }

  // An iPhone grows nothing but a video, and puts its own bar on it.
  #grow() {
    if (!this.whole.requestFullscreen) this.video.webkitEnterFullscreen?.();
    else if (this.#isGrown) document.exitFullscreen();
    else this.whole.requestFullscreen().catch(() => {});
  }

  #faster() {
    const speed = SPEEDS[(SPEEDS.indexOf(this.video.playbackRate) + 1) % SPEEDS.length];
    this.video.playbackRate = speed;
    write(this.speed, `${speed}×`);
  }

  #paint(frame = this.frame) {
    const { paused, muted } = this.video;
    this.#draw(this.play, paused ? "play" : "pause", say(paused ? "player.play" : "player.pause"));
    this.#draw(this.mute, muted ? "silent" : "loud", say(muted ? "player.unmute" : "player.mute"));
    this.#draw(this.grow, this.#isGrown ? "shrink" : "grow", say(this.#isGrown ? "player.shrink" : "player.grow"));
    this.seek.value = frame;
    this.seek.style.setProperty("--range_progress", `${(100 * frame) / Math.max(this.frames - 1, 1)}%`);
    mark(this.seek, "aria-valuetext", say("player.frame", { frame: frame + 1, frames: this.frames }));
    write(this.place, `${frame + 1} / ${this.frames}`);
    mark(this.node, "data-frame", frame);
    this.dispatchEvent(new CustomEvent("frame", { detail: frame }));
  }

  #draw(button, name, words) {
    if (button.firstChild.dataset.icon === name) return;
    button.replaceChildren(icon(name, 17));
    mark(button, "aria-label", words);
    mark(button, "title", words);
  }

  #key(event) {
    if (
      event.defaultPrevented ||
      this.node.hidden ||
      !this.node.isConnected ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping(event)
    )
      return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key.startsWith("Arrow") && event.target.closest?.(TAKES_ARROWS)) return;
    if (event.key === "k") this.toggle();
    else if (KEYS[event.key]) this.step(KEYS[event.key]);
    else return;
    event.preventDefault();
  }
}
