// A video moved by frames: where it stands, as signals, and what moves it.

import { signal } from "../vendor/preact.js";

const SPEEDS = [1, 0.5, 0.25, 2];
const CHANGES = ["play", "pause", "volumechange", "ratechange", "seeked", "loadeddata"];

export class Playback {
  frames = signal(1);
  fps = 24;
  frame = signal(0);
  paused = signal(true);
  muted = signal(true);
  speed = signal(1);
  #video = null;
  #left = new AbortController();

  /** The ref of the video element that is moved. */
  ref = (video) => {
    this.#left.abort();
    this.#video = video;
    if (!video) return;
    video.muted = this.muted.peek();
    video.defaultPlaybackRate = video.playbackRate = this.speed.peek(); // the default counts for what it is given later
    this.#left = new AbortController();
    const { signal: left } = this.#left;
    for (const name of CHANGES) video.addEventListener(name, () => this.#look(), { signal: left });
    const follow = () => {
      if (left.aborted) return;
      this.#look();
      video.requestVideoFrameCallback?.(follow);
    };
    video.requestVideoFrameCallback?.(follow);
  };

  /** Of the video that is shown next. */
  take({ num_frames: frames, fps }) {
    this.frames.value = frames || 1;
    this.fps = fps || 24;
    this.frame.value = 0;
  }

  play() {
    this.#video?.play().catch(() => {});
  }

  pause() {
    this.#video?.pause();
  }

  toggle() {
    if (this.#video?.paused) this.play();
    else this.pause();
  }

  /** Stop, and show the frame so many further on; past the last comes the first. */
  step(by) {
    this.pause();
    this.goTo((this.frame.peek() + by + this.frames.peek()) % this.frames.peek());
  }

  goTo(frame) {
    if (!this.#video) return;
    // The middle of a frame is that frame, however the player rounds.
    this.#video.currentTime = (frame + 0.5) / this.fps;
    this.frame.value = frame;
  }

  mute(muted) {
    if (this.#video) this.#video.muted = muted;
  }

  /** The next of its speeds. */
  faster() {
    const speed = SPEEDS[(SPEEDS.indexOf(this.speed.peek()) + 1) % SPEEDS.length];
    if (this.#video) this.#video.defaultPlaybackRate = this.#video.playbackRate = speed;
  }

  /** All of the screen, on a phone that grows nothing but a video and puts its own bar on it. */
  grow() {
    this.#video?.webkitEnterFullscreen?.();
  }

  #look() {
    const { currentTime, paused, muted, playbackRate } = this.#video;
    this.frame.value = Math.min(Math.floor(currentTime * this.fps + 1e-3), this.frames.peek() - 1);
    this.paused.value = paused;
    this.muted.value = muted;
    this.speed.value = playbackRate;
  }
}
