// A file dropped on a part of the form that takes such files goes there. Dropped anywhere else, a picture or clip of
// ours gives its settings back to the form, and any other is what the form starts from.

import { toast } from "../parts/errors.js";
import { kind, say } from "../data/facts.js";
import { hintOf } from "../data/faults.js";
import { fieldFor } from "../data/kinds.js";
import { startFrom } from "./links.js";
import { upload } from "../media/media_facts.js";
import { useAgain } from "../parts/reuse.js";

class Drop extends HTMLElement {
  #depth = 0; // dragenter and dragleave also fire for every child

  connectedCallback() {
    const on = (type, listener) =>
      document.addEventListener(type, (event) => carriesFiles(event) && listener(event), true);
    on("dragenter", () => this.#become(this.#depth + 1));
    on("dragleave", () => this.#become(this.#depth - 1));
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.#become(0);
      const file = event.dataTransfer.files[0];
      const box = document
        .elementsFromPoint(event.clientX, event.clientY)
        .map((node) => node.closest("[data-takes]"))
        .find(Boolean);
      if (box) box.dispatchEvent(new CustomEvent("o-file", { detail: file }));
      else restore(file);
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
  const reply = await fetch("/v1/recipes/read", { method: "POST", body }).catch(() => null);
  const answer = await reply?.json().catch(() => null);
  if (reply?.ok) {
    useAgain(answer.request);
    const unread = answer.unread?.length ? say("drop.unread", { names: answer.unread.join(", ") }) : "";
    toast(say("drop.restored", { name: file.name }), unread);
  } else if (answer?.error && fieldFor(kind, file.type.split("/")[0])) {
    const item = await upload(file, (why) => toast(why, "", "bad"));
    if (item) startFrom(item);
  } else {
    toast(answer?.error?.message ?? say("error.unreachable"), hintOf(answer?.error), "bad");
  }
}

customElements.define("o-drop", Drop);
