// Comparisons: the form and what was compared before, or one grid under its playhead, as the address says.

import "./form.js";
import "./list.js";
import "../playhead/part.js";
import { itemsOf } from "./items.js";
import { store } from "./store.js";
import { counted, say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { iconButton } from "../parts/icons.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { cellOf, gridOf } from "../playhead/cells.js";
import { again } from "../parts/send.js";
import { askJson } from "../parts/server.js";

const FORMS = ["mp4", "zip", "csv"];

// What the address names is asked for before the page around it is built.
const address = new URLSearchParams(location.search);
const wanted = address.get("id");
const ids = (address.get("items") ?? "").split(",").filter(Boolean);
const items = itemsOf(ids);
if (wanted) store.open(wanted);

class Compare extends Part {
  #items = null; // of a view that was never written down, in their order

  sources() {
    return [live, store, lost];
  }

  build() {
    this.wide = Number(address.get("columns")) || 0;
    if (wanted || ids.length) this.#buildGrid();
    else this.append(make("div", { class: "o-compare-start" }, make("o-compare-form"), make("o-compare-list")));
    if (wanted) store.start();
    if (ids.length) this.#fetch();
  }

  paint() {
    if (this.#items) this.#drawItems(this.#items);
    if (store.missing) {
      write(this.heading, say("compare.gone"));
      return;
    }
    if (!store.comparison) return;
    const { comparison } = store;
    const { title, num_rows: rows, num_columns: columns, num_done: done, num_cells: cells } = comparison;
    write(this.heading, title);
    mark(this.heading, "title", title);
    write(this.size, [counted("compare.num_rows", rows), counted("compare.num_columns", columns)].join(" × "));
    show(this.size, true);
    show(this.progress, cells > 0);
    mark(this.progress, "data-ended", store.ended);
    mark(this, "data-done", done);
    write(this.words, say("compare.progress", { done, cells }));
    show(this.cancel, !store.ended);
    show(this.retry, store.ended && store.lost);
    show(this.forget, store.ended);
    show(this.export, true);
    const grid = gridOf(comparison, live.state.jobs);
    this.head.show({ ...grid, cells: grid.cells.map((cell, index) => helped(cell, comparison.cells[index])) });
  }

  #buildGrid() {
    this.heading = make("h2", {});
    this.size = make("span", { class: "o-chip-plain", hidden: true });
    this.words = make("span", { role: "status" });
    this.progress = make(
      "span",
      { class: "o-chip-plain", hidden: true },
      make("i", { class: "o-dot", "data-state": "good" }),
      this.words,
    );
    this.cancel = iconButton("close", say("compare.cancel"), () => store.act("cancel"), {
      hidden: true,
      "data-do": "cancel",
    });
    this.retry = iconButton("again", say("compare.retry"), () => store.act("retry"), {
      hidden: true,
      "data-do": "retry",
    });
    this.forget = iconButton("trash", say("compare.forget"), () => this.#forget(), {
      hidden: true,
      quiet: true,
      "data-do": "forget",
    });
    const links = FORMS.map((form) =>
      make(
        "a",
        {
          class: "o-menu-item",
          href: wanted ? `/v1/comparisons/${wanted}/export?form=${form}` : "#",
          download: wanted ? "" : null,
          "data-form": form,
        },
        say(`compare.export_${form}`),
      ),
    );
    this.export = make(
      "details",
      { class: "o-export", hidden: true },
      make("summary", { class: "o-btn" }, say("compare.export")),
      make("div", { class: "o-menu-list" }, ...links),
    );
    this.keep = iconButton("download", say("compare.keep"), () => this.#keep(), { hidden: true, "data-do": "keep" });
    const all = make("a", { class: "o-btn", href: "/compare" }, say("compare.all"));
    this.head = make("o-playhead");
    this.append(
      make(
        "header",
        { class: "o-compare-head" },
        this.heading,
        this.size,
        this.progress,
        make("span", { class: "o-grow" }),
        this.cancel,
        this.retry,
        this.keep,
        this.export,
        this.forget,
        all,
      ),
      this.head,
    );
    this.export.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.export.contains(relatedTarget)) this.export.open = false;
    });
    this.export.addEventListener("click", ({ target }) => {
      const link = target.closest("a");
      if (!link) return;
      // The clip that is heard is the one that the mosaic sounds like.
      const sound = link.dataset.form === "mp4" && this.head.heard;
      const heard = sound ? `&sound=${encodeURIComponent(sound)}` : "";
      link.href = `/v1/comparisons/${wanted}/export?form=${link.dataset.form}${heard}`;
      this.export.open = false;
    });
  }

  // Library items beside each other: nothing is written down until somebody wants to keep it. Each is drawn as it
  // comes.
  async #fetch() {
    const count = ids.length;
    this.wide ||= count <= 4 ? count : Math.ceil(Math.sqrt(count));
    write(this.heading, counted("compare.items", count));
    const found = Array(count).fill(null);
    let due = 0;
    const draw = () => {
      due = 0;
      this.#drawItems(found);
    };
    await Promise.all(
      items.map(async (item, at) => {
        found[at] = await item;
        if (!due) due = requestAnimationFrame(draw);
      }),
    );
    this.#items = found;
    this.#drawItems(found);
    const there = found.filter(Boolean);
    show(this.keep, there.length > 0);
    if (count === 2 && there.length === 2 && there.every(({ type, missing }) => type === "image" && !missing))
      this.head.look("slider");
    mark(this, "data-items", there.length);
  }

  #drawItems(found) {
    const name = (at) => String.fromCharCode(65 + (at % 26)) + (at >= 26 ? Math.floor(at / 26) : "");
    const cells = found.map((item, at) => {
      const place = { row: Math.floor(at / this.wide), column: at % this.wide, label: name(at) };
      if (!item) return { ...place, status: { words: say("compare.missing"), state: "failed" } };
      const said = item.title || item.prompt;
      const cell = cellOf(item, { ...place, notes: said ? [[said.slice(0, 90), "said", said]] : [] });
      if (cell.gone) return helped(cell, { item, job: null });
      return {
        ...cell,
        actions: cell.actions ?? item.siblings.find(({ id }) => id === `${item.id}-actions`)?.url ?? null,
      };
    });
    this.head.show({ columns: cells.slice(0, this.wide).map(({ label }) => label), cells });
  }

  async #keep() {
    const ids = this.#items.filter(Boolean).map(({ id }) => id);
    const rows = [...Array(Math.ceil(ids.length / this.wide)).keys()].map((row) =>
      ids.slice(row * this.wide, (row + 1) * this.wide),
    );
    const answer = await askJson("POST", "/v1/comparisons", { subjects: rows.map((shown) => ({ shown })) });
    if (answer) location.assign(`/compare?id=${answer.id}`);
  }

  async #forget() {
    if (await store.forget()) location.assign("/compare");
  }
}

// What can be done where something is gone: its job runs again, its settings are brought back, or its file is sent
// again.
function helped(cell, { job, item }) {
  if (!cell.gone) return cell;
  const told = (key) => ({ ...cell, status: { ...cell.status, words: say(key) } });
  if (job) return told("compare.missing_made");
  const href = item && again(item);
  if (href) return { ...cell, way: { href, words: say("peek.use") } };
  return item ? told("compare.missing_sent") : cell;
}

customElements.define("o-compare", Compare);
