// What is looked for in the library. It stands in the page's address, so that a reload and a link find the same.

import { Store } from "../data/store.js";

const NARROWING = ["type", "kind", "checkpoint", "seed", "starred", "rating", "tag", "batch", "since", "until"];
const VIEW = ["trashed", "evaluation", "order", "flat"]; // how it is shown, not what is looked for
const BETWEEN_TAGS = "\n"; // a tag stands on one line
const FIELDS = ["q", ...NARROWING, ...VIEW];

class Query extends Store {
  #values = {};

  constructor() {
    super();
    const address = new URLSearchParams(location.search);
    for (const field of FIELDS) if (address.get(field)) this.#values[field] = address.get(field);
  }

  get(field) {
    return this.#values[field] ?? "";
  }

  /** Change some fields; an empty value takes one away. */
  set(changes) {
    const next = { ...this.#values };
    for (const [field, value] of Object.entries(changes)) {
      if (value) next[field] = String(value);
      else delete next[field];
    }
    if (JSON.stringify(next) === JSON.stringify(this.#values)) return;
    this.#values = next;
    this.write();
    this.changed();
  }

  /** The tags that an item must have, all of them. */
  get tags() {
    return this.get("tag").split(BETWEEN_TAGS).filter(Boolean);
  }

  /** Ask for a tag, or no longer. */
  toggleTag(tag) {
    const tags = this.tags.includes(tag) ? this.tags.filter((one) => one !== tag) : [...this.tags, tag];
    this.set({ tag: tags.join(BETWEEN_TAGS) });
  }

  clear() {
    this.set(Object.fromEntries(["q", ...NARROWING].map((field) => [field, ""])));
  }

  /** How many fields narrow the view beside the words. */
  get narrowed() {
    return NARROWING.filter((field) => this.#values[field]).length;
  }

  get looks() {
    return Boolean(this.#values.q) || this.narrowed > 0;
  }

  /** As the server is asked: days become moments, from midnight to the end of the day here. */
  params() {
    const { since, until, flat, tag, ...plain } = this.#values;
    const params = new URLSearchParams(plain);
    for (const one of this.tags) params.append("tag", one);
    if (!flat && !this.get("batch") && !this.get("trashed")) params.set("stacked", "true");
    if (since) params.set("since", new Date(`${since}T00:00:00`).toISOString());
    if (until) params.set("until", new Date(`${until}T23:59:59.999`).toISOString());
    return params;
  }

  /** Put it into the address; again after somebody went back, for an older address knows less. */
  write() {
    const address = new URL(location.href);
    for (const field of FIELDS) {
      if (this.#values[field]) address.searchParams.set(field, this.#values[field]);
      else address.searchParams.delete(field);
    }
    history.replaceState(history.state, "", address);
  }
}

export const query = new Query();
addEventListener("popstate", () => query.write());
