// The grid: as many tiles as fit on the screen and a little more, however long the library is.

import { say } from "../data/facts.js";
import { library } from "./store.js";
import { query } from "./query.js";
import { selection } from "./selection.js";
import { Tile } from "./tile.js";
import { make, mark, show } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

const GAP = 12;
const WORDS_HEIGHT = 46;
const MIN_WIDTH = { wide: 176, narrow: 104 };
const SHAPE = 3 / 4; // of a picture: height to width
const ROWS_AROUND = 2;

class Grid extends Part {
  #tiles = new Map(); // index → Tile
  #spare = [];
  #focus = false; // whether the keyboard's tile is to be focused once it is there

  sources() {
    return [library, selection, query];
  }

  build() {
    this.list = make("ul", { role: "list", "aria-label": say("library.items") });
    this.space = make("div", { class: "o-grid-space" }, this.list);
    this.empty = make("div", { class: "o-empty", hidden: true });
    this.append(this.space, this.empty);
    this.addEventListener("scroll", () => this.later(), { passive: true });
    this.list.addEventListener("click", (event) => this.#click(event));
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("focusin", ({ target }) => {
      const index = Number(target.closest(".o-tile")?.dataset.index);
      if (index !== selection.at) selection.move(index);
    });
    new ResizeObserver(() => this.later()).observe(this);
    query.addEventListener("state", () => {
      this.scrollTop = 0;
      selection.at = 0;
    });
  }

  paint() {
    const count = library.total ?? 0;
    const { columns, width, height } = this.#measure();
    mark(this, "data-count", library.total);
    show(this.space, count > 0);
    this.#paintEmpty(library.total === 0);
    this.space.style.height = `${Math.ceil(count / columns) * height}px`;
    const top = Math.max(Math.floor(this.scrollTop / height) - ROWS_AROUND, 0);
    const bottom = Math.ceil((this.scrollTop + this.clientHeight) / height) + ROWS_AROUND;
    const [first, end] = [top * columns, Math.min(bottom * columns, count)];
    selection.at = Math.min(selection.at, Math.max(count - 1, 0));
    for (const [index, tile] of this.#tiles) {
      // The focused tile stays, else the keyboard would lose its place.
      if ((index >= first && index < end) || (index < count && tile.node.contains(document.activeElement))) continue;
      this.#tiles.delete(index);
      tile.node.remove();
      this.#spare.push(tile);
    }
    for (let index = first; index < end; index += 1) this.#paintTile(index, count, columns, width, height);
    if (!this.#tiles.has(selection.at) && this.#tiles.has(first)) this.#tiles.get(first).open.tabIndex = 0;
    if (end) library.need(end - 1);
    if (this.#focus && this.#tiles.has(selection.at)) {
      this.#focus = false;
      this.#tiles.get(selection.at).open.focus({ preventScroll: true });
    }
  }

  #paintTile(index, count, columns, width, height) {
    let tile = this.#tiles.get(index);
    if (!tile) {
      tile = this.#spare.pop() ?? new Tile();
      this.#tiles.set(index, tile);
      // In the order of the list, so that Tab and a screen reader go through it as it is seen.
      const after = [...this.#tiles].filter(([other]) => other > index).sort(([a], [b]) => a - b)[0]?.[1].node ?? null;
      this.list.insertBefore(tile.node, after);
    }
    const item = library.items[index] ?? null;
    tile.show(item, {
      index,
      count,
      chosen: selection.chosen.has(item?.id),
      peeked: item !== null && item.id === selection.peeked,
      current: index === selection.at,
    });
    const [column, row] = [index % columns, Math.floor(index / columns)];
    tile.node.style.width = `${width}px`;
    tile.node.style.transform = `translate(${column * (width + GAP)}px, ${row * height}px)`;
    tile.frame.style.height = `${Math.round(width * SHAPE)}px`;
  }

  #paintEmpty(isEmpty) {
    show(this.empty, isEmpty);
    const key = !isEmpty ? "" : query.looks ? "none" : query.get("trashed") ? "trash" : "start";
    if (this.empty.dataset.key === key) return;
    this.empty.dataset.key = key;
    if (!key) return;
    this.empty.replaceChildren(
      make("b", {}, say(`empty.${key}`)),
      make("p", {}, say(`empty.${key}_hint`)),
      key === "none"
        ? make("button", { type: "button", class: "o-btn", on: { click: () => query.clear() } }, say("library.clear"))
        : "",
    );
  }

  #measure() {
    const room = this.clientWidth - 4;
    const least = room < 560 ? MIN_WIDTH.narrow : MIN_WIDTH.wide;
    const columns = Math.max(Math.floor((room + GAP) / (least + GAP)), 1);
    const width = (room - (columns - 1) * GAP) / columns;
    return { columns, width, height: Math.round(width * SHAPE) + WORDS_HEIGHT + GAP };
  }

  #click(event) {
    const node = event.target.closest(".o-tile");
    const item = library.items[Number(node?.dataset.index)];
    if (!item) return;
    const index = Number(node.dataset.index);
    const what = event.target.closest("[data-do]")?.dataset.do;
    if (what === "star") library.change([item.id], { starred: !item.starred });
    else if (what === "choose" || event.ctrlKey || event.metaKey) selection.toggle(item.id, index);
    else if (event.shiftKey) selection.reach(library.items, index);
    else if (selection.chosen.size && what === "open" && event.detail > 0) selection.toggle(item.id, index);
    else selection.peek(item.id);
  }

  #key(event) {
    const item = library.items[selection.at];
    const { columns, height } = this.#measure();
    const rows = Math.max(Math.floor(this.clientHeight / height), 1);
    const steps = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
      PageDown: rows * columns,
      PageUp: -rows * columns,
      Home: -selection.at,
      End: library.total - 1 - selection.at,
    };
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key in steps && plain) this.#go(selection.at + steps[event.key], event.shiftKey);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection.all(library.items);
    else if (!plain || !item) return;
    else if (event.key === " ") selection.toggle(item.id, selection.at);
    else if (event.key === "s") library.change([item.id], { starred: !item.starred });
    else if (event.key === "Delete")
      this.dispatchEvent(new CustomEvent("o-trash", { bubbles: true, detail: [item.id] }));
    else return;
    event.preventDefault();
  }

  #go(index, reaches) {
    const to = Math.min(Math.max(index, 0), library.total - 1);
    const { columns, height } = this.#measure();
    const top = Math.floor(to / columns) * height;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + height > this.scrollTop + this.clientHeight) this.scrollTop = top + height - this.clientHeight;
    this.#focus = true;
    if (reaches) selection.reach(library.items, to);
    selection.move(to);
  }
}

customElements.define("o-library-grid", Grid);
