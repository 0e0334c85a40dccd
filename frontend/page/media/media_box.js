// One picture or clip of the form: dropped in, uploaded, or picked from the library; then its thumbnail and what it is.

import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { grabFrame } from "./frame_grab.js";
import { lost } from "../data/gone.js";
import { icon } from "../parts/icons.js";
import { pickFromLibrary } from "./library_picker.js";
import { factsOf, mediaOf, upload } from "./media_facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { sampleFile } from "./samples.js";

let count = 0;

export class MediaBox {
  #id = null;
  #asked = 0;

  /**
   * types: "image", "video" or both; title, empty: words; picked(item) is told what was chosen, cleared() that it was
   * taken away; small: one line, without a sample.
   */
  constructor({ types, title, empty, picked, cleared, small = false }) {
    this.types = types;
    this.picked = picked;
    const id = `o-media-${++count}`;
    const button = (name, words, act) =>
      make("button", { type: "button", class: "o-btn", on: { click: act } }, ...(name ? [icon(name, 15)] : []), words);
    this.input = make("input", { type: "file", accept: types.map((type) => `${type}/*`).join(","), hidden: true });
    this.input.addEventListener("change", () => this.#sent(this.input.files[0]));
    this.image = make("img", { alt: "" });
    this.lines = make("span", { class: "o-media-facts" });
    this.status = make("span", { class: "o-media-status", role: "status" });
    const bring = [
      button("upload", say("pick.upload"), () => this.input.click()),
      button("", say("pick.library"), () => this.#pick()),
      ...(small ? [] : [button("", say("pick.sample"), () => this.#sample())]),
    ];
    this.choices = make("div", { class: "o-media-choices" }, make("span", { class: "o-media-empty" }, empty), ...bring);
    this.change = button("", say("pick.change"), () => this.#open(true));
    this.remove = button("", say("pick.remove"), () => {
      cleared();
      this.#open(true);
    });
    this.remove.setAttribute("aria-label", say("pick.remove_it", { title }));
    this.filled = make(
      "div",
      { class: "o-media-filled", hidden: true },
      this.image,
      this.lines,
      this.change,
      this.remove,
    );
    this.node = make(
      "div",
      {
        class: "o-media",
        role: "group",
        "aria-labelledby": id,
        "data-takes": types.join(" "),
        "data-small": small || null,
      },
      make("b", { id, class: "o-media-title" }, title),
      this.filled,
      this.choices,
      this.status,
      this.input,
    );
    this.node.addEventListener("o-file", ({ detail }) => this.#sent(detail));
    lost.addEventListener("state", () => this.#lose());
  }

  /** Show an item of the library by its id, or none. */
  async show(id) {
    if (id === this.#id) return;
    this.#id = id;
    const asked = ++this.#asked;
    this.#open(!id);
    write(this.status, "");
    mark(this.node, "data-media", id);
    if (!id) return;
    mark(this.image, "src", `/v1/media/${id}/thumbnail`);
    write(this.lines, "");
    const item = await mediaOf(id);
    if (asked !== this.#asked) return;
    if (!item) write(this.status, say("pick.gone"));
    else this.lines.replaceChildren(...factsOf(item).map((fact) => make("span", {}, fact)));
    if (item) await lost.check(id);
    if (asked === this.#asked) this.#lose();
  }

  #lose() {
    if (!this.#id || !lost.has(this.#id)) return;
    write(this.status, say("pick.lost"));
    this.#open(true);
  }

  #open(open) {
    show(this.filled, Boolean(this.#id));
    show(this.choices, open || !this.#id);
    mark(this.change, "aria-expanded", String(open));
  }

  #take(item) {
    if (!this.types.includes(item.type)) {
      toast(say(`pick.no_${item.type}`), "", "bad");
      return;
    }
    this.#open(false);
    this.picked(item);
  }

  async #sent(file) {
    if (!file) return;
    this.input.value = "";
    write(this.status, say("pick.uploading"));
    const isClip = file.type.startsWith("video/");
    const sent = isClip && !this.types.includes("video") ? await grabFrame(URL.createObjectURL(file)) : file;
    const item = sent && (await upload(sent, (why) => write(this.status, why)));
    if (!item) return;
    write(this.status, sent === file ? "" : say("pick.first_frame"));
    this.#take(item);
  }

  async #pick() {
    const item = await pickFromLibrary(this.types);
    if (item) this.#take(item);
  }

  async #sample() {
    write(this.status, say("pick.uploading"));
    this.#sent(await sampleFile(this.types.at(-1)));
  }
}
