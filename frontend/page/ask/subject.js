// What is asked about, a picture or a clip, which stands in the page's address; none is fine too. And whose marks are
// drawn on it: those of the last answer that has any, until a person picks another one.

import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { marksOf } from "../media/marks.js";
import { mediaOf } from "../media/media_facts.js";
import { chats } from "./store.js";
import { Store } from "../data/store.js";

class Subject extends Store {
  item = null;
  id = new URLSearchParams(location.search).get("from") ?? "";
  loading = false;
  #picked = null; // a turn; false for none

  start() {
    if (this.id) this.#load();
    else if (chats.last) this.#load(chats.last);
  }

  get turns() {
    return chats.turns(this.id);
  }

  /** The turn whose marks are drawn, or null. */
  get marked() {
    if (this.#picked === false) return null;
    const { turns } = this;
    if (turns.includes(this.#picked)) return this.#picked;
    return turns.findLast((turn) => turn.role === "assistant" && !turn.open && marksOf(turn).length > 0) ?? null;
  }

  /** Draw the marks of a turn; false for none. */
  pick(turn) {
    this.#picked = turn;
    this.changed();
  }

  /** Ask about another item; nothing for none. */
  set(item) {
    this.item = item;
    this.id = item?.id ?? "";
    const address = new URL(location.href);
    if (this.id) address.searchParams.set("from", this.id);
    else address.searchParams.delete("from");
    history.replaceState(history.state, "", address);
    this.pick(null);
  }

  /** The item of the address; or that of the last conversation, `remembered`, which need not be there any more. */
  async #load(remembered = "") {
    this.loading = true;
    const { id } = this;
    const item = await mediaOf(remembered || id);
    this.loading = false;
    if (id !== this.id) return;
    if (!item && !remembered) toast(say("link.gone"), "", "bad");
    this.set(item);
  }
}

export const subject = new Subject();
