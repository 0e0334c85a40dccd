// What the library takes on disk, and what is done with all of it: export, import, delete everything.

import { counted, say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { icon, iconButton } from "../parts/icons.js";
import { library } from "./store.js";
import { make, mark, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { bytes } from "../data/recipe.js";
import { ask, askJson } from "../parts/server.js";

const SURE = "delete everything"; // what the server wants to read, and the person to write
// What is said of items; the other sorts belong to these.
const COUNTED = ["comparisons", "refinements", "questions", "votes"];

class Storage extends Part {
  sources() {
    return [library];
  }

  build() {
    const title = make("h2", { id: "library-storage-title" }, say("library.storage"));
    const close = iconButton("close", say("error.close"), () => this.dialog.close(), { quiet: true });
    this.meter = make("div", {
      class: "o-bar",
      role: "meter",
      "aria-label": say("storage.meter"),
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    });
    this.fill = make("i");
    this.meter.append(this.fill);
    this.lines = make("dl", { class: "o-recipe" });
    this.file = make("input", {
      type: "file",
      accept: ".zip,application/zip",
      hidden: true,
      "aria-label": say("storage.import"),
      on: { change: () => this.#import() },
    });
    this.import = iconButton("upload", say("storage.import"), () => this.file.click(), { "data-do": "import" });
    this.word = make("input", {
      class: "o-select",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": say("storage.type_it", { words: SURE }),
      on: { input: () => this.#mayDelete() },
    });
    this.delete = iconButton("trash", say("storage.delete"), () => this.#deleteAll(), {
      class: "o-btn o-bad",
      disabled: true,
      "data-do": "delete-all",
    });
    this.dialog = make(
      "dialog",
      { class: "o-sheet", "aria-labelledby": title.id },
      make("header", {}, title, close),
      this.meter,
      this.lines,
      make(
        "div",
        { class: "o-sheet-acts" },
        make(
          "a",
          { class: "o-btn", href: "/v1/library/export", download: "orrery-library.zip", "data-do": "export" },
          icon("download"),
          say("storage.export"),
        ),
        this.import,
        this.file,
      ),
      make("p", { class: "o-hint" }, say("storage.export_hint")),
      make(
        "section",
        { class: "o-danger" },
        make("h3", {}, say("storage.delete")),
        make("p", {}, say("storage.type_it", { words: SURE })),
        make("div", { class: "o-sheet-acts" }, this.word, this.delete),
      ),
    );
    this.append(this.dialog);
  }

  open() {
    this.word.value = "";
    this.#mayDelete();
    this.dialog.showModal();
  }

  paint() {
    const usage = library.usage;
    if (!usage) return;
    const {
      num_items: count,
      size_bytes: size,
      num_trashed: trashed,
      trash_bytes: trash,
      quota_bytes: quota,
      free_bytes: free,
    } = usage;
    const share = Math.min(size / (quota ?? size + free), 1);
    mark(this.meter, "aria-valuenow", Math.round(share * 100));
    mark(this.meter, "data-full", share > 0.9 ? "true" : null);
    this.fill.style.width = `${share * 100}%`;
    const lines = [
      ["storage.used", counted("storage.items", count, { size: bytes(size) })],
      ["storage.trash", counted("storage.items", trashed, { size: bytes(trash) })],
      ["storage.quota", quota ? bytes(quota) : say("storage.no_quota")],
      ["storage.free", bytes(free)],
    ];
    if (!this.lines.children.length)
      this.lines.append(...lines.flatMap(([key]) => [make("dt", {}, say(key)), make("dd")]));
    lines.forEach(([, value], index) => write(this.lines.children[2 * index + 1], value));
  }

  #mayDelete() {
    this.delete.disabled = this.word.value.trim().toLowerCase() !== SURE;
  }

  async #import() {
    const [file] = this.file.files;
    if (!file) return;
    this.file.value = "";
    this.import.disabled = true;
    const report = await ask("POST", "/v1/library/import", new Blob([file], { type: "application/zip" }));
    this.import.disabled = false;
    this.dialog.close(); // what is said in the corner lies under an open dialog
    if (!report) return;
    const { num_own_files: own, num_known_own_files: known, num_refused_own_files: refused } = report;
    const said = [
      counted("did.imported", report.num_items, { known: report.num_known_items }),
      own + known && counted("did.imported_own", own, { known }),
      refused && counted("did.refused_own", refused),
      ...saidOf(report.records),
    ];
    toast(said.filter(Boolean).join(" · "));
    library.search();
  }

  async #deleteAll() {
    this.delete.disabled = true;
    const gone = await askJson("DELETE", "/v1/library", { confirm: SURE });
    if (!gone) return;
    this.dialog.close();
    toast(say("did.erased"));
    library.search();
  }
}

function saidOf(records) {
  const known = COUNTED.reduce((total, sort) => total + records[sort].num_known, 0);
  return [
    ...COUNTED.map((sort) => records[sort].num_added && counted(`did.imported_${sort}`, records[sort].num_added)),
    known && counted("did.known_records", known),
  ];
}

customElements.define("o-library-storage", Storage);
