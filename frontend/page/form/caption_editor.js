// A structured caption as fields, in place of its line of JSON.

import { captionOf, sentenceOf } from "../data/captions.js";
import { page, readable, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { fill } from "../parts/reuse.js";
import { html, useEffect, useRef, useSignal, useState } from "../vendor/preact.js";
import { form } from "./values.js";

let count = 0;

/** Nothing while the prompt is plain words. The prompt's own box is hidden while the fields stand for it. */
export function CaptionEditor() {
  const prompt = seen(form).values?.prompt ?? "";
  const isCaption = captionOf(prompt) !== null;
  const isText = useSignal(false);
  const isWhole = useSignal(false); // empty fields too
  const written = useRef(null); // { text, caption } of the latest change, until the form says it
  const [id] = useState(() => `o-caption-${++count}`);
  if (written.current?.text === prompt) written.current = null;

  useEffect(() => {
    // Who writes JSON by hand goes on in the box.
    isText.value = isCaption && document.activeElement?.matches("textarea") && !isInside(id);
  }, [isCaption]);
  const areFields = isCaption && !isText.value;
  useEffect(() => {
    document.getElementById(`${page}-prompt`)?.toggleAttribute("data-fields", areFields);
  }, [areFields]);
  if (!isCaption) return null;

  function change(path, value) {
    const caption = written.current?.caption ?? read(form.values.prompt);
    const names = [...path];
    const last = names.pop();
    names.reduce((level, name) => level[name], caption)[last] = value;
    written.current = { text: write(caption), caption };
    fill({ prompt: written.current.text });
  }
  const leaves = [...leavesOf(written.current?.caption ?? read(prompt), [])];
  const shown = leaves.filter(([, value]) => isWhole.value || (value !== "" && String(value) !== "0"));
  return html`
    <section id=${id} class="o-caption" aria-label=${say("caption.title")}>
      <header>
        <b>${say("caption.title")}</b>
        <button type="button" class="o-link" onClick=${() => (isText.value = !isText.value)}>
          ${say(areFields ? "caption.as_text" : "caption.as_fields")}
        </button>
        ${
          areFields &&
          html`<button type="button" class="o-link" onClick=${() => (isWhole.value = !isWhole.value)}>
            ${isWhole.value ? say("caption.filled") : say("caption.whole", { count: leaves.length })}
          </button>`
        }
      </header>
      ${
        areFields
          ? shown.map(([path, value]) => html`<${Leaf} key=${path.join(".")} ...${{ path, value }} change=${change} />`)
          : html`<p>${sentenceOf(prompt)}</p>`
      }
    </section>
  `;
}

const isInside = (id) => Boolean(document.activeElement?.closest(`#${id}`));

function Leaf({ path, value, change }) {
  const label = path.map((name) => (typeof name === "number" ? name + 1 : readable(name))).join(" · ");
  const isNumber = typeof value !== "string";
  return html`
    <label>
      <span>${label}</span>
      ${
        isNumber
          ? html`<input
              type="number"
              class="o-select"
              step="any"
              value=${String(value)}
              onInput=${({ currentTarget }) => currentTarget.value && change(path, new Figure(currentTarget.value))}
            />`
          : html`<textarea
              class="o-select"
              rows="1"
              value=${value}
              onInput=${({ currentTarget }) => change(path, currentTarget.value)}
            />`
      }
    </label>
  `;
}

/** A number as it is written: 24.0 stays 24.0. */
class Figure {
  constructor(source) {
    this.source = source;
  }
  toString() {
    return this.source;
  }
}

const parse = /** @type {any} */ (JSON.parse); // the type checker knows no third argument of a reviver yet
const read = (text) =>
  parse(text, (_, value, context) =>
    typeof value === "number" ? new Figure(context?.source ?? String(value)) : value,
  );

function* leavesOf(value, path) {
  if (typeof value === "string" || value instanceof Figure) yield [path, value];
  else if (value && typeof value === "object")
    for (const [name, child] of Object.entries(value))
      yield* leavesOf(child, [...path, Array.isArray(value) ? Number(name) : name]);
}

/** One line of JSON as captions are in training: Python's, with a space after commas and colons, and ASCII alone. */
function write(value) {
  if (value instanceof Figure) return value.source;
  if (Array.isArray(value)) return `[${value.map(write).join(", ")}]`;
  if (value && typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, child]) => `${write(name)}: ${write(child)}`)
      .join(", ")}}`;
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
