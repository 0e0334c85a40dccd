// A canvas that shows the newest of many pictures: a slow page skips some, it never falls behind.

export class PictureCanvas {
  #next = null;
  #drawing = false;

  /** `drawn` is called after each picture. */
  constructor(canvas, drawn = () => {}) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.drawn = drawn;
  }

  /** Take a JPEG. */
  async show(image) {
    this.#next = image;
    if (this.#drawing) return;
    this.#drawing = true;
    while (this.#next) {
      const picture = this.#next;
      this.#next = null; // one that comes while this is decoded is the next
      const bitmap = await createImageBitmap(picture);
      if (this.canvas.width !== bitmap.width || this.canvas.height !== bitmap.height) {
        this.canvas.width = bitmap.width;
        this.canvas.height = bitmap.height;
      }
      this.context.drawImage(bitmap, 0, 0);
      bitmap.close();
      this.drawn();
    }
    this.#drawing = false;
  }
}
