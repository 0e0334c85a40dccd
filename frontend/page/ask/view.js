// What is asked about: chosen from the library, dropped or uploaded; with the marks of an answer drawn on it.

import { say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { lost } from "../data/gone.js";
import { iconButton } from "../parts/icons.js";
import { pickFromLibrary } from "../media/library_picker.js";
import { upload } from "../media/media_facts.js";
import { subject } from "./subject.js";
import { shownMarks } from "./shown.js";
import { Marks } from "../media/marks.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { factsOf } from "../data/recipe.js";
import { Viewer } from "../media/viewer.js";

const TYPES = ["image", "video"];

class View extends Part {
  sources() {
    return [subject, shownMarks, lost];
  }

  build() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", say("ask.subject"));
    this.viewer = new Viewer();
    this.marks = new Marks();
    this.viewer.frame.append(this.marks.node);
    this.empty = make(
      "div",
      { class: "o-empty" },
      make("b", {}, say("ask.nothing")),
      make("p", {}, say("ask.nothing_hint")),
    );
    this.file = make("input", {
      type: "file",
      accept: "image/*,video/*",
      hidden: true,
      "aria-label": say("ask.upload"),
      on: { change: () => this.#take(this.file.files[0]) },
    });
    this.pick = iconButton("search", say("ask.pick"), () => this.#pick(), { "data-do": "pick" });
    this.upload = iconButton("upload", say("ask.upload"), () => this.file.click(), { "data-do": "upload" });
    this.none = iconButton("close", say("ask.none"), () => subject.set(null), { "data-do": "none" });
    this.facts = make("p", { class: "o-meta" });
    this.append(
      make("div", { class: "o-ask-frame" }, this.viewer.node, this.empty),
      this.facts,
      make("div", { class: "o-row-acts" }, this.pick, this.upload, this.none, this.file),
    );
    document.addEventListener("o-files", ({ detail }) => this.#take(detail[0]));
    // A time in an answer seeks the clip.
    document.addEventListener("o-seek", ({ detail }) => this.#seek(detail));
  }

  paint() {
    const { item } = subject;
    mark(this, "data-media", item?.id);
    show(this.viewer.node, Boolean(item));
    show(this.empty, !item && !subject.loading);
    show(this.none, Boolean(item));
    show(this.facts, Boolean(item?.created_at));
    write(this.facts, item?.created_at ? [item.title, factsOf(item)].filter(Boolean).join(" · ") : "");
    this.viewer.show(item);
    const { marks, path } = shownMarks;
    this.marks.draw(item && !item.missing && !lost.has(item.id) ? marks : [], path);
  }

  async #pick() {
    const item = await pickFromLibrary(TYPES);
    if (item) subject.set(item);
  }

  async #take(file) {
    if (!file) return;
    this.file.value = "";
    const item = await upload(file, (why) => toast(why, "", "bad"));
    if (!item) return;
    if (TYPES.includes(item.type)) subject.set(item);
    else toast(say("ask.unseen"), "", "bad");
  }

  #seek(seconds) {
    const { clip } = this.viewer;
    if (clip.hidden) return;
    clip.pause();
    clip.currentTime = seconds;
    this.viewer.node.scrollIntoView({ block: "nearest" });
  }
}

customElements.define("o-ask-view", View);
