// The library: what is looked for, what can be done with what was chosen, the grid, and the item that is looked at.

import "./chosen.js";
import "./filters.js";
import "./grid.js";
import "./peek.js";
import "./storage.js";
import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import * as actions from "./actions.js";
import { library } from "./store.js";
import { upload } from "../media/media_facts.js";
import { make } from "../parts/nodes.js";

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
