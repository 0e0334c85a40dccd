// Numbers that this checkpoint does not take with the rest of the form: said below their field before anything is sent.

import { checkpoint } from "../data/checkpoint.js";
import { page, say } from "../data/facts.js";
import { form } from "./values.js";
import { make, mark } from "../parts/nodes.js";
import { fill } from "../parts/reuse.js";

const lines = new Map(); // path → the line below its field

function paint() {
  if (!form.values) return;
  for (const path of checkpoint.limited) {
    const field = document.getElementById(`${page}-${path.replace(/[._]/g, "-")}`);
    const value = form.values[path];
    const span = checkpoint.span(path, form.values.resolution);
    if (!field || !span) continue;
    const wrong = value != null && (value < span.low || value > span.high);
    const fixed = span.low === span.high;
    mark(field, "data-fixed", fixed);
    const words = wrong || fixed ? span.reason : "";
    const key = wrong ? `${words} ${nearest(value, span)}` : words;
    const line = lines.get(path) ?? make("span", { class: "o-limit", role: "status" });
    if (line.dataset.key === key) continue;
    line.dataset.key = key;
    lines.set(path, line);
    const to = nearest(value, span);
    const fix = () => fill(path.split(".").reduceRight((inner, name) => ({ [name]: inner }), /** @type {any} */ (to)));
    line.replaceChildren(
      words,
      ...(wrong
        ? [make("button", { type: "button", class: "o-btn o-fix", on: { click: fix } }, say("fix.use", { value: to }))]
        : []),
    );
    if (line.parentNode !== field) field.append(line);
  }
}

const nearest = (value, { low, high }) => Math.min(Math.max(value, low), high);

for (const source of [form, checkpoint]) source.addEventListener("state", paint);
