// The picture or the clip that is asked about; none is fine too. It stands in the page's address.

import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { mediaOf } from "../media/media_facts.js";

class Subject extends EventTarget {
  item = null;
  id = new URLSearchParams(location.search).get("from") ?? "";
  loading = false;

  start() {
    if (this.id) this.#load();
  }

  /** Ask about another item; nothing for none. */
  set(item) {
    this.item = item;
    this.id = item?.id ?? "";
    const address = new URL(location.href);
    if (this.id) address.searchParams.set("from", this.id);
    else address.searchParams.delete("from");
    history.replaceState(history.state, "", address);
    this.dispatchEvent(new Event("state"));
  }

  async #load() {
    this.loading = true;
    const id = this.id;
    const item = await mediaOf(id);
    this.loading = false;
    if (id !== this.id) return;
    if (!item) toast(say("link.gone"), "", "bad");
    this.set(item);
  }
}

export const subject = new Subject();
