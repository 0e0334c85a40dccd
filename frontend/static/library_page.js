// The library: what is looked for, what can be done with what was chosen, the grid, and the item that is looked at.

import "./library_chosen.js";
import "./library_filters.js";
import "./library_grid.js";
import "./library_peek.js";
import "./library_storage.js";
import { toast } from "./errors.js";
import { say } from "./facts.js";
import * as actions from "./library_actions.js";
import { library } from "./library_store.js";
import { upload } from "./media_facts.js";
import { make } from "./nodes.js";

class Library extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const answer = (value, style) => make("button", { value, class: style }, say(`sure.${value}`));
    this.append(
      make("o-library-filters"),
      make("o-library-chosen", { hidden: true }),
      make("div", { class: "o-library-body" }, make("o-library-grid"), make("o-library-peek", { hidden: true })),
      make("o-library-storage"),
      make(
        "dialog",
        { class: "o-sheet o-sure", role: "alertdialog", "aria-labelledby": "library-sure" },
        make("form", { method: "dialog" }, make("p", { id: "library-sure" }), make("div", { class: "o-sheet-acts" }, answer("no", "o-btn"), answer("yes", "o-btn o-bad"))),
      ),
    );
    this.addEventListener("o-trash", ({ detail }) => actions.trash(detail));
    document.addEventListener("o-files", async ({ detail }) => {
      for (const file of detail) {
        if (await upload(file, (why) => toast(why, "", "bad"))) toast(say("did.uploaded", { name: file.name }));
      }
      library.search();
    });
  }
}

customElements.define("o-library", Library);
