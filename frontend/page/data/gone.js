// Media that are no more: deleted for good, as the server says of a job's results, or lost from its disk, as shows when
// a page asks for them. Wherever one stands it is said, in place of a broken picture.

import { say } from "./facts.js";
import { Store } from "./store.js";

const MEDIA = /^\/v1\/media\/([\w-]+)(\/thumbnail)?$/;

class Lost extends Store {
  #ids = new Set();

  has(id) {
    return this.#ids.has(id);
  }

  /** Ask whether one is no more; null where the server does not answer. */
  async check(id) {
    const reply = await fetch(`/v1/media/${id}`, { method: "HEAD", cache: "no-store" }).catch(() => null);
    if (!reply) return null;
    const isLost = reply.status === 404;
    if (isLost !== this.has(id)) {
      this.#ids[isLost ? "add" : "delete"](id);
      this.changed();
    }
    return isLost;
  }

  /** Look after a picture or a clip that could not be shown. */
  async look(node) {
    const found = MEDIA.exec(node.src && new URL(node.src).pathname);
    if (!found) return;
    const { src } = node;
    const isLost = await this.check(found[1]);
    if (isLost !== null && node.src === src && node.matches("img"))
      sayOf(node, say(isLost ? "media.deleted" : "media.no_picture"));
  }
}

// A picture that failed is drawn as what stands in it: see `img[data-gone]`.
function sayOf(picture, words) {
  const alt = picture.getAttribute("alt");
  picture.dataset.gone = words;
  picture.alt = words;
  const shown = () => {
    delete picture.dataset.gone;
    if (picture.alt === words) picture.alt = alt ?? "";
  };
  picture.addEventListener("load", shown, { once: true });
}

export const lost = new Lost();

addEventListener(
  "error",
  ({ target }) => target instanceof Element && target.matches("img, video") && lost.look(target),
  true,
);

/** What is left of what a job made. */
export const remaining = (job) => (job?.results ?? []).filter((result) => !result.deleted && !lost.has(result.id));

/** Whether a job has made something, and nothing of it is left. */
export const allGone = (job) => Boolean(job?.results?.length) && remaining(job).length === 0;
