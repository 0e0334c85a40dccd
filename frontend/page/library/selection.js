// Which items are chosen, which one the keyboard is at, and which one is looked at.

import { Store } from "../data/store.js";

class LibrarySelection extends Store {
  chosen = new Set();
  at = 0; // index in the grid
  peeked = new URLSearchParams(location.search).get("item"); // id

  #anchor = null;

  /** Choose one more, or one fewer. */
  toggle(id, index) {
    if (!this.chosen.delete(id)) this.chosen.add(id);
    this.#anchor = index;
    this.changed();
  }

  /** Choose every single item between the last one that was chosen and this one. */
  reach(items, index) {
    const from = this.#anchor ?? index;
    const between = items.slice(Math.min(from, index), Math.max(from, index) + 1);
    for (const { id, stack } of between) if (!stack) this.chosen.add(id);
    this.changed();
  }

  all(items) {
    for (const { id, stack } of items) if (!stack) this.chosen.add(id);
    this.changed();
  }

  clear() {
    this.chosen.clear();
    this.#anchor = null;
    this.changed();
  }

  /** Forget those that are there no longer. */
  forget(ids) {
    for (const id of ids) this.chosen.delete(id);
    if (ids.includes(this.peeked)) this.peek(null);
    else this.changed();
  }

  move(index) {
    this.at = index;
    this.changed();
  }

  /**
   * Look at an item, or at none. The first look is a step that the browser's Back takes back; others take its place.
   */
  peek(id) {
    if (!id && history.state?.peeks) {
      this.peeked = null;
      this.changed();
      history.back();
      return;
    }
    const opens = id && !this.peeked;
    this.peeked = id;
    const address = new URL(location.href);
    if (id) address.searchParams.set("item", id);
    else address.searchParams.delete("item");
    if (opens) history.pushState({ ...history.state, peeks: true }, "", address);
    else history.replaceState(history.state, "", address);
    this.changed();
  }

  /** The address has changed under the page: somebody went back or forward. */
  heed() {
    this.peeked = new URLSearchParams(location.search).get("item");
    this.changed();
  }
}

export const selection = new LibrarySelection();
addEventListener("popstate", () => selection.heed());
