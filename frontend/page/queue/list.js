// The waiting list: in order, and put into another order by dragging a grip or with the arrows on it.

import { counted, say } from "../data/facts.js";
import { make, show, write } from "../parts/nodes.js";
import { queue } from "./store.js";
import { WaitingRow } from "./waiting.js";

const MOST_ROWS = 200;

export class WaitingList {
  #rows = new Map(); // entry id → WaitingRow
  #entries = [];
  #dragged = null;

  constructor() {
    this.list = make("ol", { class: "o-rows", "aria-label": say("queue.waiting") });
    this.more = make("p", { class: "o-hint", hidden: true });
    this.said = make("p", { class: "o-sr", role: "status" });
    this.node = make(
      "div",
      {},
      this.list,
      this.more,
      this.said,
      make("p", { class: "o-sr", id: "queue-how" }, say("queue.how")),
    );
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("pointerdown", (event) => this.#lift(event));
  }

  paint(entries) {
    if (this.#dragged) return;
    this.#entries = entries;
    const shown = entries.slice(0, MOST_ROWS);
    const kept = new Set(shown.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (kept.has(id)) continue;
      row.node.remove();
      this.#rows.delete(id);
    }
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    shown.forEach((entry, index) => {
      const row = this.#rows.get(entry.id) ?? new WaitingRow(entry);
      this.#rows.set(entry.id, row);
      if (this.list.children[index] !== row.node) this.list.insertBefore(row.node, this.list.children[index] ?? null);
      row.paint(entry, index, entries.length);
    });
    // A node that moves loses the focus; the person who moved it goes on with it.
    if (focused !== document.activeElement && this.list.contains(focused)) focused.focus();
    show(this.list, shown.length > 0);
    show(this.more, entries.length > shown.length);
    write(this.more, counted("queue.more", entries.length - shown.length));
  }

  #key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
    const onGrip = event.target.matches(".o-grip");
    if (!by || event.ctrlKey || event.metaKey || (!onGrip && !event.altKey)) return;
    event.preventDefault();
    const from = this.#entries.findIndex(({ id }) => id === event.target.closest("[data-entry]").dataset.entry);
    const to = Math.min(Math.max(from + by, 0), this.#entries.length - 1);
    if (from >= 0 && to !== from) this.#move(from, to);
  }

  // `to` is the place among the others, once the entry has been taken out.
  #move(from, to) {
    const [entry] = this.#entries.splice(from, 1);
    const next = this.#entries[to];
    this.#entries.splice(to, 0, entry);
    this.paint([...this.#entries]); // at once; the server's word follows
    write(this.said, say("queue.moved", { place: to + 1, count: this.#entries.length }));
    queue.move(entry.waiting, next?.waiting[0].id ?? null);
  }

  #lift(event) {
    const grip = event.target.closest(".o-grip");
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    const row = grip.closest("[data-entry]");
    const from = [...this.list.children].indexOf(row);
    this.#dragged = row;
    row.dataset.dragged = "true";
    const beginsAt = event.clientY;
    let to = from;
    const follow = ({ clientY }) => {
      row.style.transform = `translateY(${clientY - beginsAt}px)`;
      const others = [...this.list.children].filter((other) => other !== row);
      to = others.filter((other) => middle(other) < clientY).length;
      others.forEach((other, index) => other.toggleAttribute("data-before", index === to));
      this.list.toggleAttribute("data-last", to === others.length);
    };
    const drop = ({ type }) => {
      grip.removeEventListener("pointermove", follow);
      for (const name of ["pointerup", "pointercancel"]) grip.removeEventListener(name, drop);
      row.style.transform = "";
      delete row.dataset.dragged;
      this.list.removeAttribute("data-last");
      for (const other of this.list.children) other.removeAttribute("data-before");
      this.#dragged = null;
      if (type === "pointerup" && to !== from) this.#move(from, to);
    };
    grip.addEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) grip.addEventListener(name, drop);
  }
}

function middle(node) {
  const { top, height } = node.getBoundingClientRect();
  return top + height / 2;
}
