// A picture dropped anywhere gives its settings back to the form.

import { toast } from "./errors.js";
import { say } from "./facts.js";
import { useAgain } from "./reuse.js";
import { ask } from "./server.js";

class Drop extends HTMLElement {
  #depth = 0; // dragenter and dragleave also fire for every child

  connectedCallback() {
    const on = (type, listener) => document.addEventListener(type, (event) => carriesFiles(event) && listener(event), true);
    on("dragenter", () => this.#become(this.#depth + 1));
    on("dragleave", () => this.#become(this.#depth - 1));
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.#become(0);
      restore(event.dataTransfer.files[0]);
    });
  }

  #become(depth) {
    this.#depth = Math.max(depth, 0);
    this.toggleAttribute("data-on", this.#depth > 0);
  }
}

const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

async function restore(file) {
  const body = new FormData();
  body.append("file", file);
  const recipe = await ask("POST", "/v1/recipes/read", body);
  if (!recipe) return;
  useAgain(recipe.request);
  toast(say("drop.restored", { name: file.name }));
}

customElements.define("o-drop", Drop);
