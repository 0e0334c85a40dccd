// What a transfer follows: a source clip, and one to five hints of it, each computed from the source or given as its
// own clip.

import { checkpoint } from "../data/checkpoint.js";
import { ControlRow } from "./control_row.js";
import { say } from "../data/facts.js";
import { form } from "../form/values.js";
import { HeldPart } from "../form/held_part.js";
import { MediaBox } from "../media/media_box.js";
import { make, mark, show, write } from "../parts/nodes.js";

const HINTS = ["edge", "blur", "depth", "seg", "wsm"];
export const COMPUTED = ["edge", "blur"];

/** Why the checkpoint does not follow a hint; empty where it does. */
const refusal = (hint) => checkpoint.refusal("controls.hint", hint);

class Controls extends HeldPart {
  blank() {
    return { source_video: null, controls: [], num_source_frames: 0 };
  }

  build() {
    this.box = new MediaBox({
      types: ["video"],
      title: say("controls.source"),
      empty: say("controls.source_empty"),
      picked: ({ id }) =>
        this.put({ source_video: id, controls: this.held.controls.length ? this.held.controls : firstControls() }),
      cleared: () => this.put({ source_video: null, num_source_frames: 0 }),
    });
    this.chips = HINTS.map((hint) =>
      make(
        "button",
        {
          type: "button",
          class: "o-chip",
          "data-hint": hint,
          title: say(`hint.${hint}_help`),
          on: { click: () => this.#toggle(hint) },
        },
        say(`hint.${hint}`),
      ),
    );
    this.rows = make("div", { class: "o-control-rows" });
    this.drawn = new Map(); // hint → ControlRow
    this.number = make("input", { type: "number", min: 0, max: 397, step: 1, "aria-label": say("controls.kept") });
    this.number.addEventListener("change", () =>
      this.put({ num_source_frames: Math.max(0, Math.round(Number(this.number.value) || 0)) }),
    );
    this.kept = make(
      "label",
      { class: "o-kept-frames" },
      make("b", {}, say("controls.kept")),
      this.number,
      make("small", {}, say("controls.kept_help")),
    );
    this.need = make("span", { class: "o-why", id: "o-controls-why" });
    this.group = make(
      "div",
      { class: "o-chip-group", role: "group", "aria-label": say("controls.title") },
      ...this.chips,
    );
    for (const event of ["focusin", "pointerover", "focusout", "pointerleave"])
      this.group.addEventListener(event, () => this.later());
    this.append(
      this.box.node,
      make(
        "span",
        { class: "o-chip-title" },
        make("b", {}, say("controls.title")),
        make("small", {}, say("controls.help")),
      ),
      this.group,
      this.need,
      this.rows,
      this.kept,
    );
  }

  #toggle(hint) {
    const { controls } = this.held;
    const without = controls.filter((control) => control.hint !== hint);
    if (without.length === controls.length && refusal(hint)) return; // what came with a recipe can be let go
    const next = without.length < controls.length ? without : [...controls, { hint, weight: 1 }];
    this.put({ controls: next.sort((a, b) => HINTS.indexOf(a.hint) - HINTS.indexOf(b.hint)) });
  }

  /** Say something about one hint. */
  change(hint, changes) {
    this.put({
      controls: this.held.controls.map((control) => (control.hint === hint ? { ...control, ...changes } : control)),
    });
  }

  paint() {
    const { source_video: source, controls, num_source_frames: kept } = this.held;
    this.box.show(source);
    const hints = controls.map(({ hint }) => hint);
    for (const chip of this.chips) {
      const why = refusal(chip.dataset.hint);
      const pressed = hints.includes(chip.dataset.hint);
      mark(chip, "aria-pressed", String(pressed));
      mark(chip, "aria-disabled", why && !pressed ? "true" : null);
      mark(chip, "aria-describedby", why ? this.need.id : null);
      mark(chip, "data-why", why || null);
    }
    for (const [hint, row] of this.drawn) {
      if (hints.includes(hint)) continue;
      row.node.remove();
      this.drawn.delete(hint);
    }
    controls.forEach((control, index) => {
      const row = this.drawn.get(control.hint) ?? this.#add(control.hint);
      if (this.rows.children[index] !== row.node) this.rows.insertBefore(row.node, this.rows.children[index] ?? null);
      row.paint(control, source, form.values ?? {}, controls.length);
    });
    const asked = this.group.querySelector("[data-why]:hover, [data-why]:focus-visible");
    write(this.need, asked?.dataset.why ?? this.#missing());
    show(this.kept, Boolean(source));
    if (document.activeElement !== this.number) this.number.value = kept;
  }

  // What stands in the way: a hint that the checkpoint does not follow, or one that is missing something.
  #missing() {
    const { controls, source_video: source } = this.held;
    const refused = controls.find(({ hint }) => refusal(hint));
    if (refused) return refusal(refused.hint);
    if (!controls.length) return source ? say("controls.none") : "";
    const bare = controls.find(({ hint, video }) => !video && (!COMPUTED.includes(hint) || !source));
    if (!bare) return "";
    return say(COMPUTED.includes(bare.hint) ? "controls.needs_source" : "controls.needs_clip", {
      hint: say(`hint.${bare.hint}`),
    });
  }

  #add(hint) {
    const row = new ControlRow(hint, COMPUTED.includes(hint), (changes) => this.change(hint, changes));
    this.drawn.set(hint, row);
    return row;
  }
}

/** What a clip is followed by before anybody has said: the first hint of those that are computed from it. */
function firstControls() {
  const hint = COMPUTED.find((each) => !refusal(each));
  return hint ? [{ hint, weight: 1 }] : [];
}

customElements.define("o-controls", Controls);
