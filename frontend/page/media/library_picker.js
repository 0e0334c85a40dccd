// The library as a dialog: search it, and take one thing out of it.

import { nameOf } from "../data/job_words.js";
import { counted, say } from "../data/facts.js";
import { make, show, write } from "../parts/nodes.js";
import { remember } from "./media_facts.js";
import { ask } from "../parts/server.js";

const TYPING_MS = 150;
const LIMIT = 60;

class Picker {
  #search = 0;
  #typing = 0;
  /** @type {(item: object | null) => void} */
  #resolve = () => {};

  constructor() {
    this.words = make("input", {
      type: "search",
      placeholder: say("picker.search"),
      "aria-label": say("picker.search"),
    });
    this.list = make("ul", { role: "list" });
    this.empty = make("p", { role: "status" });
    const close = make(
      "button",
      { type: "button", class: "o-round", "aria-label": say("error.close"), on: { click: () => this.dialog.close() } },
      "×",
    );
    this.dialog = make(
      "dialog",
      { class: "o-picker", "aria-label": say("picker.title") },
      make("header", {}, make("h2", {}, say("picker.title")), this.words, close),
      this.list,
      this.empty,
    );
    this.words.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#ask(), TYPING_MS);
    });
    this.dialog.addEventListener("close", () => this.#resolve(null));
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    document.querySelector(".o-shell").append(this.dialog);
  }

  open(types) {
    this.types = types;
    this.words.value = "";
    this.list.replaceChildren();
    this.dialog.showModal();
    this.#ask();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async #ask() {
    const search = ++this.#search;
    const params = new URLSearchParams({ limit: String(LIMIT) });
    if (this.words.value.trim()) params.set("q", this.words.value);
    if (this.types.length === 1) params.set("type", this.types[0]);
    const found = await ask("GET", `/v1/library?${params}`);
    if (search !== this.#search) return;
    const items = (found?.items ?? []).filter((item) => this.types.includes(item.type) && !item.missing);
    show(this.empty, items.length === 0);
    write(this.empty, say(this.words.value.trim() ? "picker.none" : "picker.empty"));
    this.list.replaceChildren(...items.map((item) => this.#draw(item)));
  }

  #draw(item) {
    const name = nameOf(item);
    const picture = make("img", { alt: "", loading: "lazy", src: item.thumbnail_url ?? null });
    const mark =
      item.type === "image"
        ? ""
        : make("span", { class: "o-picker-mark" }, item.num_frames ? counted("pick.frames", item.num_frames) : "");
    const take = () => {
      this.#resolve(remember(item));
      this.dialog.close();
    };
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", title: name, "aria-label": name, "data-media": item.id, on: { click: take } },
        picture,
        mark,
      ),
    );
  }
}

let picker = null;

/** Let a person take one item of some types; null when they take none. */
export function pickFromLibrary(types) {
  picker ??= new Picker();
  return picker.open(types);
}
