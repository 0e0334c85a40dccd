// What the page knows and draws: a component that reads `seen(store)` is drawn again when the store changes.

import { signal } from "../vendor/preact.js";

export class Store extends EventTarget {
  /** Counts the changes; the value says nothing else. */
  version = signal(0);

  /** Tell everything that shows it. */
  changed() {
    this.version.value = this.version.peek() + 1;
    this.dispatchEvent(new Event("state"));
  }
}

/**
 * The store itself; the component that asks is drawn again at every change.
 *
 * @template {Store} T
 * @param {T} store
 */
export function seen(store) {
  void store.version.value;
  return store;
}
