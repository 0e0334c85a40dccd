// One item of the grid: its picture, what it is, and its two buttons for the mouse. The keyboard has keys for them.

import { duration, say } from "../data/facts.js";
import { icon } from "../parts/icons.js";
import { nameOf } from "./store.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Scrub } from "./scrub.js";

const GLYPHS = { actions: "curve", latents: "disk" };

export class Tile {
  item = null;
  index = -1;

  constructor() {
    this.picture = make("img", { alt: "", decoding: "async", draggable: "false", hidden: true });
    this.glyph = make("span", { class: "o-tile-glyph" });
    this.badge = make("span", { class: "o-tile-badge" });
    this.frame = make("span", { class: "o-tile-picture" }, this.picture, this.glyph, this.badge);
    this.open = make("button", { type: "button", class: "o-tile-open", "data-do": "open" }, this.frame);
    this.check = make(
      "button",
      { type: "button", class: "o-tile-check", tabindex: -1, "data-do": "choose" },
      icon("check", 14),
    );
    this.star = make(
      "button",
      { type: "button", class: "o-tile-star", tabindex: -1, "data-do": "star" },
      icon("star", 15),
    );
    this.name = make("span", { class: "o-tile-name" });
    this.meta = make("span", { class: "o-tile-meta" });
    this.node = make("li", { class: "o-tile" }, this.open, this.check, this.star, this.name, this.meta);
    this.scrub = new Scrub(this.frame);
  }

  /** Show an item, or a place where one will be; `null` while it is fetched. */
  show(item, { index, count, chosen, peeked, current }) {
    this.index = index;
    mark(this.node, "data-index", index);
    mark(this.node, "aria-posinset", index + 1);
    mark(this.node, "aria-setsize", count);
    mark(this.node, "data-chosen", chosen ? "true" : null);
    this.open.tabIndex = current ? 0 : -1;
    mark(this.open, "aria-current", peeked ? "true" : null);
    if (!item) return this.#empty();
    if (item !== this.item) this.#fill(item);
    mark(this.check, "aria-pressed", String(chosen));
  }

  #empty() {
    this.item = null;
    mark(this.node, "data-id", null);
    mark(this.node, "data-waits", "true");
    show(this.picture, false);
    this.picture.removeAttribute("src");
    this.glyph.replaceChildren();
    mark(this.open, "aria-label", say("library.coming"));
    for (const line of [this.badge, this.name, this.meta]) write(line, "");
    this.scrub.of(null);
  }

  #fill(item) {
    const another = item.id !== this.item?.id || item.missing !== this.item.missing;
    this.item = item;
    mark(this.node, "data-id", item.id);
    mark(this.node, "data-waits", null);
    mark(this.node, "data-missing", item.missing ? "true" : null);
    const name = nameOf(item);
    if (another) {
      const pictured = Boolean(item.thumbnail_url) && !item.missing;
      show(this.picture, pictured);
      mark(this.picture, "src", pictured ? item.thumbnail_url : null);
      this.glyph.replaceChildren(
        ...(pictured ? [] : [icon(item.missing ? "close" : (GLYPHS[item.type] ?? "disk"), 26)]),
      );
      this.scrub.of(item.missing ? null : item.spritesheet_url);
    }
    write(this.badge, badgeOf(item));
    write(this.name, name);
    write(this.meta, metaOf(item));
    const words = [
      say(`media.${item.type}`),
      name.slice(0, 120),
      metaOf(item),
      item.starred ? say("library.starred") : "",
    ];
    mark(this.open, "aria-label", words.filter(Boolean).join(", "));
    mark(this.node, "data-starred", item.starred ? "true" : null);
    mark(this.star, "aria-pressed", String(item.starred));
    mark(this.star, "aria-label", say("library.star_item", { name: name.slice(0, 60) }));
    mark(this.check, "aria-label", say("library.choose_item", { name: name.slice(0, 60) }));
  }
}

function badgeOf(item) {
  if (item.missing) return say("library.missing");
  if (item.type === "video")
    return [duration(item.duration_s ?? 0), item.has_sound ? say("library.sound") : ""].filter(Boolean).join(" · ");
  if (item.type === "actions")
    return say(item.mime === "application/x-npy" ? "library.array" : "meta.actions", {
      actions: item.num_actions ?? "",
    });
  return "";
}

function metaOf(item) {
  const when = new Date(item.created_at);
  const day = when.toLocaleDateString([], { day: "numeric", month: "short" });
  const clock = when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  const today = when.toDateString() === new Date().toDateString();
  return [
    today ? clock : day,
    item.kind === "upload" ? say("kind.upload") : say("meta.seed", { seed: item.seed }),
  ].join(" · ");
}
