// A video under a playhead: what runs, rests and goes to the very frame of a time when it is told.

export class PlayheadVideo {
  /** `length` is in seconds; what has none never moves. */
  constructor(video, { fps, length }) {
    this.video = video;
    this.fps = fps;
    this.length = length;
  }

  /** Whether it moves at this time. */
  runs(time) {
    return this.length > 0 && time < this.length - 1e-3;
  }

  run(rate) {
    this.video.playbackRate = rate;
    this.video.play().catch(() => {});
  }

  rest() {
    this.video.pause();
    this.video.playbackRate = 1;
  }

  /** Something quick that stands for the frame of a time, where there is such a thing. */
  sprite() {}

  /** Go to the very frame of a time; the middle of it, however a player rounds. Resolves when it is decoded. */
  async exact(time) {
    const frame = Math.floor(Math.min(time, this.length - 1e-3) * this.fps + 1e-3);
    const to = (Math.max(frame, 0) + 0.5) / this.fps;
    if (Math.abs(this.video.currentTime - to) > 1e-4 || this.video.readyState < 2) await reach(this.video, to);
  }
}

/** Resolves with the event of that name; rejects when the video cannot be played. */
export function happens(video, event) {
  const heard = new AbortController();
  const options = { once: true, signal: heard.signal };
  return new Promise((resolve, reject) => {
    video.addEventListener(event, resolve, options);
    video.addEventListener("error", reject, options);
  }).finally(() => heard.abort());
}

function reach(video, time) {
  const there = happens(video, "seeked").catch(() => {}); // what breaks off stays where it is
  video.currentTime = time;
  return there;
}
