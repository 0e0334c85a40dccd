// One playhead over several clips: they start together, are kept together while they play, and stop on the same frame.

const JUMP_S = 0.15; // further apart than this, a clip jumps
const CLOSE_S = 0.004; // closer than this, nothing is done
const MOST_RATE = 0.1; // how much faster or slower a clip may run to catch up

export class Playhead {
  #frame = 0;
  #fps = 24;

  /** `changed` is called whenever there is something to paint. */
  constructor(clips, changed) {
    this.clips = clips;
    this.changed = changed;
    for (const clip of clips) clip.addEventListener("loadedmetadata", changed);
  }

  get playing() {
    return !this.clips[0].paused;
  }

  get time() {
    return this.clips[0].currentTime || 0;
  }

  get duration() {
    return Math.max(...this.clips.map((clip) => clip.duration || 0));
  }

  begin(fps) {
    this.#fps = fps;
    this.play();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  async play() {
    await this.seek(this.time);
    await Promise.all(this.clips.filter((clip) => clip.src).map((clip) => clip.play().catch(() => {})));
    this.#follow();
  }

  pause() {
    cancelAnimationFrame(this.#frame);
    for (const clip of this.clips) {
      clip.pause();
      clip.playbackRate = 1;
    }
    this.seek((Math.floor(this.time * this.#fps + 1e-6) + 0.5) / this.#fps);
  }

  step(by) {
    if (this.playing) this.pause();
    this.seek((Math.floor(this.time * this.#fps + 1e-6) + by + 0.5) / this.#fps);
  }

  /** All to one time; resolves when each is there. */
  async seek(time) {
    const to = Math.min(Math.max(time, 0), this.duration || 0);
    await Promise.all(this.clips.map((clip) => (clip.readyState && Math.abs(clip.currentTime - to) > 1e-4 ? reach(clip, to) : null)));
    this.changed();
  }

  #follow() {
    const [lead, ...others] = this.clips;
    for (const clip of others) {
      const ahead = clip.currentTime - lead.currentTime;
      // A clip that has come around already is not behind.
      if (!clip.readyState || Math.abs(ahead) > this.duration / 2) continue;
      if (Math.abs(ahead) > JUMP_S) clip.currentTime = lead.currentTime;
      else clip.playbackRate = Math.abs(ahead) < CLOSE_S ? 1 : 1 - Math.min(Math.max(2 * ahead, -MOST_RATE), MOST_RATE);
    }
    this.changed();
    if (this.playing) this.#frame = requestAnimationFrame(() => this.#follow());
  }
}

function reach(clip, time) {
  return new Promise((there) => {
    clip.addEventListener("seeked", there, { once: true });
    clip.currentTime = time;
  });
}
