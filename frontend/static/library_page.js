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
    this.append(
      make("o-library-filters"),
      make("o-library-chosen", { hidden: true }),
      make("div", { class: "o-library-body" }, make("o-library-grid"), make("o-library-peek", { hidden: true })),
      make("o-library-storage"),
    );
    const showStorage = () => {
      if (location.hash !== "#storage") return;
      history.replaceState(history.state, "", `${location.pathname}${location.search}`);
      this.querySelector("o-library-storage").open();
    };
    addEventListener("hashchange", showStorage);
    showStorage();
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
