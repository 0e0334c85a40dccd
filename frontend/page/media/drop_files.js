// A file that is dropped anywhere on a page that keeps things: told to the page as `o-files`.

import { page, say } from "../data/facts.js";
import { write } from "../parts/nodes.js";

class Drop extends HTMLElement {
  #depth = 0; // dragenter and dragleave also fire for every child

  connectedCallback() {
    write(this, say(`drop.${page}`));
    const on = (type, listener) =>
      document.addEventListener(type, (event) => carriesFiles(event) && listener(event), true);
    on("dragenter", () => this.#become(this.#depth + 1));
    on("dragleave", () => this.#become(this.#depth - 1));
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.#become(0);
      document.dispatchEvent(new CustomEvent("o-files", { detail: [...event.dataTransfer.files] }));
    });
  }

  #become(depth) {
    this.#depth = Math.max(depth, 0);
    this.toggleAttribute("data-on", this.#depth > 0);
  }
}

const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

customElements.define("o-drop", Drop);
