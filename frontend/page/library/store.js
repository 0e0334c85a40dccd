// The library as the page has it: what was found so far, page after page, and what the page does to it.

import { counted, say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { live } from "../data/live.js";
import { query } from "./query.js";
import { selection } from "./selection.js";
import { toast } from "../parts/errors.js";
import { confirmed } from "../parts/sure.js";
import { ask, askJson } from "../parts/server.js";
import { Store } from "../data/store.js";

const PAGE_ITEMS = 120;
const MOST_PAGE_ITEMS = 500; // the server's bound, asked for when somebody jumps far
const TYPING_MS = 120; // between the last key and the question

class LibraryStore extends Store {
  items = [];
  total = null; // null until the first answer
  usage = null;
  facets = { kinds: [], checkpoints: [], tags: [] };
  #cursor = null;
  #asked = null; // the question that the items answer
  #search = 0; // which search an answer belongs to
  #loading = false;
  #needed = 0;
  #typing = 0;
  #revision = null; // of the library, as the socket last told it

  start() {
    this.search();
    query.addEventListener("state", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.search(), TYPING_MS);
    });
    live.addEventListener("state", () => this.#hear());
    document.addEventListener("visibilitychange", () => document.hidden || this.search());
    lost.addEventListener("state", () => {
      const found = this.items.filter(({ id, missing }) => !missing && lost.has(id)).map(({ id }) => id);
      if (found.length) this.#edit(found, (item) => ({ ...item, missing: true }));
    });
  }

  /**
   * Ask anew. What is there stays until the answer has come; of the same question, what follows the answer stays too.
   */
  async search() {
    const search = ++this.#search;
    const asked = String(query.params());
    const found = await this.#page(null);
    if (search !== this.#search || !found) return;
    const last = found.items.at(-1)?.id;
    // Nothing follows the last page: what stood there has left.
    const follows = asked === this.#asked && found.next_cursor;
    const known = follows ? this.items.findIndex((item) => item.id === last) : -1;
    this.#asked = asked;
    this.items = found.items.concat(known < 0 ? [] : this.items.slice(known + 1));
    this.#take(known < 0 ? found : { ...found, next_cursor: this.#cursor });
  }

  /** Say which item is looked at, so that the pages up to it are fetched. */
  need(index) {
    this.#needed = index;
    this.#more();
  }

  find(id) {
    return this.items.find((item) => item.id === id);
  }

  /** Star, tag or name items; shown at once, asked anew if the server minds. */
  async change(ids, changes) {
    this.#edit(ids, (item) => edited(item, changes));
    if (!(await askJson("POST", "/v1/library/change", { ids, ...changes }))) this.search();
    else if (changes.add_tags || changes.remove_tags) this.#ask();
  }

  async rename(id, title) {
    this.#edit([id], (item) => edited(item, { title }));
    if (!(await askJson("PATCH", `/v1/library/${id}`, { title }))) this.search();
  }

  /** Into the trash, with the way back. */
  async trash(ids) {
    const undo = { words: say("did.undo"), act: () => this.restore(ids) };
    if (await this.#leave(ids, "POST", "trash", { ids })) toast(counted("did.trashed", ids.length), "", "good", undo);
  }

  async restore(ids) {
    if (await this.#leave(ids, "POST", "restore", { ids })) toast(counted("did.restored", ids.length));
  }

  /** Away for good: asked before, since nothing brings it back. Without ids, the whole trash. */
  async erase(ids) {
    const sure = ids ? counted("sure.erase", ids.length) : say("sure.empty");
    if (!(await confirmed(sure, say("sure.yes"), say("sure.no")))) return;
    if (await this.#leave(ids, "DELETE", "trash", ids ? { ids } : {})) toast(say("did.erased"));
  }

  #edit(ids, change) {
    const chosen = new Set(ids);
    this.items = this.items.map((item) => (chosen.has(item.id) ? change(item) : item));
    this.changed();
  }

  // True once the server has said yes.
  async #leave(ids, method, path, body) {
    if (ids) selection.forget(ids);
    if (!(await askJson(method, `/v1/library/${path}`, body))) return false;
    if (ids) {
      const gone = new Set(ids);
      const kept = this.items.filter((item) => !gone.has(item.id));
      this.total -= this.items.length - kept.length;
      this.items = kept;
      this.changed();
    }
    // The sizes have changed, and so may have the view.
    this.search();
    return true;
  }

  async #more() {
    if (this.#loading || !this.#cursor || this.#needed < this.items.length) return;
    this.#loading = true;
    const search = this.#search;
    const found = await this.#page(this.#cursor);
    this.#loading = false;
    if (search !== this.#search || !found) return;
    this.items = this.items.concat(found.items);
    this.#take(found);
  }

  // The facets after a change of tags; the items are known.
  async #ask() {
    const found = await this.#page(null);
    if (found) this.facets = found.facets;
    this.changed();
  }

  async #page(cursor) {
    const params = query.params();
    const missing = cursor ? this.#needed + 1 - this.items.length : 0;
    params.set("limit", String(Math.min(Math.max(missing, PAGE_ITEMS), MOST_PAGE_ITEMS)));
    if (cursor) params.set("cursor", cursor);
    return ask("GET", `/v1/library?${params}`);
  }

  #take({ total, next_cursor: cursor, usage, facets }) {
    this.total = total;
    this.usage = usage;
    this.facets = facets;
    this.#cursor = cursor;
    this.changed();
    this.#more();
  }

  // What a job made, or what another device did, shows here too.
  #hear() {
    const revision = live.state.system.library_revision;
    if (revision === undefined || revision === this.#revision) return;
    const first = this.#revision === null;
    this.#revision = revision;
    if (!first) this.search();
  }
}

export const library = new LibraryStore();

/** An item after such changes as `change` takes. */
export const edited = (item, { add_tags: added = [], remove_tags: removed = [], ...others }) => ({
  ...item,
  ...others,
  tags: [...new Set([...item.tags, ...added])].filter((tag) => !removed.includes(tag)).sort(),
});
