// A clip's spritesheet: fetched a few at a time, and drawn frame by frame.

const AT_ONCE = 3;
let running = 0;
const waiting = [];

export class SpriteSheet {
  #image = null;
  #layout = null;
  #shown = null;

  /** `layout` where it is known; else the server says it with the sheet. */
  constructor(url, layout = null) {
    this.url = url;
    this.ready = inTurn(() => this.#fetch(layout));
  }

  /** Draw the frame of a time into a canvas; false while the sheet is on its way. */
  draw(canvas, time) {
    if (!this.#image) return false;
    const { columns, frame_width: width, frame_height: height, times_s: times } = this.#layout;
    let frame = 0;
    while (frame + 1 < times.length && times[frame + 1] <= time + 1e-4) frame += 1;
    if (frame === this.#shown) return true;
    this.#shown = frame;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const [x, y] = [(frame % columns) * width, Math.floor(frame / columns) * height];
    canvas.getContext("2d").drawImage(this.#image, x, y, width, height, 0, 0, width, height);
    return true;
  }

  async #fetch(layout) {
    try {
      if (layout) {
        const image = new Image();
        image.src = this.url;
        await image.decode();
        [this.#image, this.#layout] = [image, layout];
        return;
      }
      const reply = await fetch(this.url);
      if (!reply.ok) return;
      this.#layout = JSON.parse(reply.headers.get("x-orrery-spritesheet"));
      this.#image = await createImageBitmap(await reply.blob());
    } catch {
      // The thumbnail stays, and playing shows the clip itself.
    }
  }
}

function inTurn(act) {
  return new Promise((resolve) => {
    waiting.push(() => act().finally(resolve));
    next();
  });
}

function next() {
  if (running >= AT_ONCE || !waiting.length) return;
  running += 1;
  waiting
    .shift()()
    .finally(() => {
      running -= 1;
      next();
    });
}
