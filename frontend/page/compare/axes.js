// Fields and their values: one value sets a field, several make it an axis.

import { say } from "../data/facts.js";
import { Icon, IconButton } from "../parts/icons.js";
import { html } from "../vendor/preact.js";

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
  replace: "prompt",
  negative: "negative_prompt",
  other: "",
};
// Whose values are words, also where they look like numbers.
const TEXTS = ["resolution", "aspect_ratio", "negative_prompt"];
const PROMPT = "prompt";
const WORDS = [...TEXTS, PROMPT, "adapter"];
const RANGE = /^(-?[\d.]+)\s*\.\.\s*(-?[\d.]+)(?::([\d.]+))?$/; // 1..8, or 0.5..2:0.5 with a step
const MOST_IN_RANGE = 64;
const ROW = { name: "guidance", path: "", text: "" };

/** What stands there at first. A row is the name of a field, the path of one that has no name, and values as written. */
export const FIRST_AXES = ["steps", "seed"].map((name) => ({ ...ROW, name }));

/** The rows as they are written; `change` takes a function from the current rows to the new ones. */
export function Axes({ rows, change }) {
  const row = ({ name, path, text }, index) => {
    const field = say(`compare.field_${name}`);
    const set =
      (part) =>
      ({ currentTarget: { value } }) =>
        change((now) => now.with(index, { ...now[index], [part]: value }));
    return html`
      <div class="o-axis">
        <select class="o-select" aria-label=${say("compare.axis")} value=${name} onChange=${set("name")}>
          ${Object.keys(FIELDS).map((key) => html`<option value=${key}>${say(`compare.field_${key}`)}</option>`)}
        </select>
        ${
          name === "other" &&
          html`<input
            class="o-select"
            placeholder="sampling.flow_shift"
            aria-label=${say("compare.path")}
            value=${path}
            onInput=${set("path")}
          />`
        }
        <input
          class="o-select o-num"
          autocomplete="off"
          aria-label=${say("compare.values", { field })}
          value=${text}
          placeholder=${name === "replace" ? say("compare.replace_example") : ""}
          aria-invalid=${faultOf({ name, path, text }) ? "true" : null}
          onInput=${set("text")}
        />
        ${faultOf({ name, path, text }) && html`<p class="o-axis-fault" role="alert">${faultOf({ name, path, text })}</p>`}
        <button
          type="button"
          class="o-btn o-quiet"
          aria-label=${say("compare.remove", { name: field })}
          onClick=${() => change((now) => now.toSpliced(index, 1))}
        >
          <${Icon} name="close" />
        </button>
      </div>
    `;
  };
  return html`
    <fieldset class="o-compare-axes">
      <legend>${say("compare.axes")}</legend>
      <p class="o-hint">${say("compare.axes_hint")}</p>
      <div class="o-axes">${rows.map(row)}</div>
      <${IconButton}
        icon="filter"
        words=${say("compare.add_axis")}
        data-do="add-axis"
        onClick=${() => change((now) => [...now, ROW])}
      />
    </fieldset>
  `;
}

/** Why the values of a row cannot be used; empty where they can. */
export function faultOf({ name, path, text }) {
  const field = FIELDS[name] || path.trim();
  if (name === "other" || WORDS.includes(field)) return "";
  const wrong = valuesIn(field, text).find((value) => typeof value !== "number" || !Number.isFinite(value));
  return wrong === undefined ? "" : say("compare.not_numbers", { came: String(wrong) });
}

/** Values by the path of their field; fields without a value are left out. */
export function valuesOf(rows) {
  const read = rows.map(({ name, path, text }) => {
    const field = FIELDS[name] || path.trim();
    return [field, valuesIn(field, text)];
  });
  return Object.fromEntries(read.filter(([field, values]) => field && values.length));
}

/** `20, 35` are two numbers, `1..4` four; of an adapter `none, grasp × 0.5` are none and one at half its strength. */
function valuesIn(field, text) {
  const said = field === "negative_prompt" ? [text] : text.split(",");
  const words = said.map((value) => value.trim()).filter(Boolean);
  if (field === "adapter") return words.map(adapter);
  // The first words are looked for, and stay in the first column.
  if (field === PROMPT) return words.map((value) => ({ replace: words[0], with: value }));
  if (TEXTS.includes(field)) return words.map((value) => value.replace(/p$/, ""));
  return words.flatMap((value) => rangeOf(value) ?? [number(value)]);
}

/** The numbers of `1..8` or `0.5..2:0.5`, both ends among them; null for anything else, and for one without an end. */
function rangeOf(text) {
  const found = RANGE.exec(text);
  if (!found) return null;
  const [from, to, step] = [found[1], found[2], found[3] ?? "1"].map(Number);
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (!(count >= 1 && count <= MOST_IN_RANGE)) return null;
  const digits = Math.max(...[found[1], found[3] ?? "1"].map((part) => part.split(".")[1]?.length ?? 0));
  return Array.from({ length: count }, (_, index) => Number((from + index * step).toFixed(digits)));
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
