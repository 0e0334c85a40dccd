// One playhead over any number of clips. Its own clock is the master: every clip is steered to it while it plays, and
// is put on the frame of that time when it stands. Clips are aligned by time; one that has ended stays on its last
// frame.

import { Store } from "../data/store.js";

const JUMP_S = 0.15; // further from the clock than this, a clip jumps
const CLOSE_S = 0.004; // closer than this, nothing is done
const GAIN = 4; // share of the speed per second of distance: 25 ms are caught up at 10 %
const MOST_RATE = 0.2; // how much faster or slower a clip may run to catch up
const MOST_HEARD_RATE = 0.02; // of the one that is heard
const SETTLE_MS = 150; // a pointer that rests so long is where it wanted to be
const MOST_SETTLED = 12; // with more clips, sprites stay until somebody steps or plays

export class Playhead extends Store {
  #clips = [];
  #frame = 0;
  #from = { at: 0, time: 0 }; // the clock: what time it was, and when that was
  #settling = 0;
  #turn = 0; // which order is the latest
  time = 0;
  playing = false;
  rate = 1;
  range = null; // [start, end] in seconds of what is looped

  get clips() {
    return this.#clips;
  }

  /** Take other clips; those that stay keep their place. */
  set clips(clips) {
    this.#clips = clips;
    this.time = Math.min(this.time, this.length);
    this.changed();
  }

  get #moving() {
    return this.#clips.filter((clip) => clip.length > 0);
  }

  get length() {
    return Math.max(0, ...this.#clips.map((clip) => clip.length));
  }

  /** Frames per second of the fastest clip: what a step is. */
  get fps() {
    return Math.max(0, ...this.#moving.map((clip) => clip.fps)) || 24;
  }

  get frames() {
    return Math.max(1, Math.round(this.length * this.fps));
  }

  get frame() {
    return Math.min(Math.floor(this.time * this.fps + 1e-3), this.frames - 1);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  async play() {
    if (!this.length) return;
    const [start, end] = this.#bounds();
    const time = this.time < start || this.time >= end - 0.5 / this.fps ? start : this.time;
    this.playing = true;
    await this.#begin(time);
  }

  /** Stop, all on the frame of one time. */
  pause() {
    this.#stop();
    return this.goTo(this.frame);
  }

  step(by) {
    const frame = this.frame + by;
    this.#stop();
    return this.goTo((frame + this.frames) % this.frames);
  }

  /** The middle of a frame is that frame, however a player rounds. Resolves when every clip shows it. */
  goTo(frame) {
    return this.#exact((Math.min(Math.max(frame, 0), this.frames - 1) + 0.5) / this.fps);
  }

  /** Follow a pointer: sprites at once, the frames themselves when it rests. */
  scrub(frame) {
    if (this.playing) this.#stop();
    this.time = (Math.min(Math.max(frame, 0), this.frames - 1) + 0.5) / this.fps;
    this.#turn += 1;
    for (const clip of this.#moving) clip.sprite(this.time);
    this.changed();
    clearTimeout(this.#settling);
    if (this.#moving.length <= MOST_SETTLED) this.#settling = setTimeout(() => this.#exact(this.time), SETTLE_MS);
  }

  /** Where the loop begins, or ends, is here; with neither, all of it is looped. */
  loop(edge) {
    if (edge === null) this.range = null;
    else {
      const [start, end] = this.range ?? [0, this.length];
      const half = 0.5 / this.fps;
      const edges = edge === "start" ? [this.time - half, end] : [start, this.time + half];
      this.range = edges[0] < edges[1] ? edges : edge === "start" ? [edges[0], this.length] : [0, edges[1]];
    }
    this.changed();
  }

  setRate(rate) {
    this.rate = rate;
    if (this.playing) this.#from = { at: performance.now(), time: this.time };
    this.changed();
  }

  /** How far the clips that play are apart, in seconds. */
  get drift() {
    const times = this.#moving.filter((clip) => clip.runs(this.time)).map((clip) => clip.video.currentTime);
    return times.length > 1 ? Math.max(...times) - Math.min(...times) : 0;
  }

  #bounds() {
    return this.range ?? [0, this.length];
  }

  #stop() {
    this.playing = false;
    this.#turn += 1;
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settling);
    for (const clip of this.#moving) clip.rest();
  }

  async #exact(time) {
    clearTimeout(this.#settling);
    const turn = ++this.#turn;
    this.time = time;
    this.changed();
    await Promise.all(this.#moving.map((clip) => clip.exact(time)));
    if (turn === this.#turn) this.changed();
  }

  async #begin(time) {
    const turn = ++this.#turn;
    cancelAnimationFrame(this.#frame);
    for (const clip of this.#moving) clip.rest();
    this.time = time;
    this.changed();
    await Promise.all(this.#moving.map((clip) => clip.exact(time)));
    if (turn !== this.#turn || !this.playing) return;
    if (!this.length) {
      // None of them could be fetched.
      this.#stop();
      this.changed();
      return;
    }
    this.#from = { at: performance.now(), time };
    for (const clip of this.#moving) if (clip.runs(time)) clip.run(this.rate);
    this.#follow();
  }

  #follow() {
    const [start, end] = this.#bounds();
    this.time = this.#from.time + ((performance.now() - this.#from.at) / 1000) * this.rate;
    if (this.time >= end) {
      this.#begin(start);
      return;
    }
    for (const clip of this.#moving) this.#steer(clip);
    this.changed();
    this.#frame = requestAnimationFrame(() => this.playing && this.#follow());
  }

  #steer(clip) {
    const { video } = clip;
    if (!clip.runs(this.time)) {
      if (!video.paused) clip.rest();
      return;
    }
    if (video.readyState < 3 || video.seeking) return;
    const ahead = video.currentTime - this.time;
    const most = video.muted ? MOST_RATE : MOST_HEARD_RATE;
    if (Math.abs(ahead) > JUMP_S) video.currentTime = this.time;
    const rate =
      Math.abs(ahead) < CLOSE_S ? this.rate : this.rate * (1 - Math.min(Math.max(GAIN * ahead, -most), most));
    if (Math.abs(video.playbackRate - rate) > 1e-3) video.playbackRate = rate;
  }
}
