// Fields and their values: one value sets a field, several make it an axis.

import { say } from "../data/facts.js";
import { icon, iconButton } from "../parts/icons.js";
import { make, show } from "../parts/nodes.js";

const FIELDS = {
  steps: "sampling.num_inference_steps",
  seed: "sampling.seed",
  guidance: "sampling.guidance_scale",
  shift: "sampling.flow_shift",
  size: "resolution",
  shape: "aspect_ratio",
  frames: "num_frames",
  fps: "fps",
  adapter: "adapter",
  adapter_scale: "adapter.scale",
  control_weight: "controls.0.weight",
  control_guidance: "sampling.control_guidance",
  negative: "negative_prompt",
  other: "",
};
// Whose values are words, also where they look like numbers.
const TEXTS = ["resolution", "aspect_ratio", "negative_prompt"];
const FIRST = ["steps", "seed"];

export class AxisRows {
  /** `changed` is called after every change. */
  constructor(changed) {
    this.changed = changed;
    this.list = make("div", { class: "o-axes" });
    this.node = make(
      "fieldset",
      { class: "o-compare-axes" },
      make("legend", {}, say("compare.axes")),
      make("p", { class: "o-hint" }, say("compare.axes_hint")),
      this.list,
      iconButton("filter", say("compare.add_axis"), () => this.#add(), { "data-do": "add-axis" }),
    );
    for (const name of FIRST) this.#add(name);
  }

  /** Values by the path of their field; fields without a value are left out. */
  values() {
    const found = {};
    for (const row of this.list.children) {
      const [choice, path, text] = ["select", "[data-path]", "[data-values]"].map((selector) =>
        row.querySelector(selector),
      );
      const field = FIELDS[choice.value] || path.value.trim();
      const values = read(field, text.value);
      if (field && values.length) found[field] = values;
    }
    return found;
  }

  #add(name = "guidance") {
    const options = Object.keys(FIELDS).map((field) => make("option", { value: field }, say(`compare.field_${field}`)));
    const choice = make(
      "select",
      { class: "o-select", "aria-label": say("compare.axis"), on: { change: () => this.#choose(row) } },
      ...options,
    );
    choice.value = name;
    const path = make("input", {
      class: "o-select",
      "data-path": "",
      placeholder: "sampling.flow_shift",
      "aria-label": say("compare.path"),
      hidden: true,
      on: { input: this.changed },
    });
    const text = make("input", {
      class: "o-select o-num",
      "data-values": "",
      autocomplete: "off",
      on: { input: this.changed },
    });
    const remove = make(
      "button",
      { type: "button", class: "o-btn o-quiet", on: { click: () => this.#remove(row) } },
      icon("close"),
    );
    const row = make("div", { class: "o-axis" }, choice, path, text, remove);
    this.list.append(row);
    this.#choose(row);
  }

  #choose(row) {
    const choice = row.querySelector("select");
    show(row.querySelector("[data-path]"), choice.value === "other");
    const field = choice.selectedOptions[0].textContent;
    row.querySelector("[data-values]").setAttribute("aria-label", say("compare.values", { field }));
    row.querySelector("button").setAttribute("aria-label", say("compare.remove", { name: field }));
    this.changed();
  }

  #remove(row) {
    row.remove();
    this.changed();
  }
}

/** `20, 35` are two numbers; of an adapter `none, grasp × 0.5` are none and one at half its strength. */
function read(field, text) {
  const said = field === "negative_prompt" ? [text] : text.split(",");
  const words = said.map((value) => value.trim()).filter(Boolean);
  if (field === "adapter") return words.map(adapter);
  return words.map((value) => (TEXTS.includes(field) ? value.replace(/p$/, "") : number(value)));
}

function number(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function adapter(text) {
  if (text === "none") return null;
  const [name, scale] = text.split(/\s*[×@]\s*/);
  return scale === undefined ? { name } : { name, scale: Number(scale) };
}
