// Numbers that this checkpoint does not take with the rest of the form: said below their field before anything is sent.

import { checkpoint } from "../data/checkpoint.js";
import { page, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { fill } from "../parts/reuse.js";
import { effect, html, render } from "../vendor/preact.js";
import { form } from "./values.js";

const lines = new Map(); // path → the line below its field

effect(() => {
  const { values } = seen(form);
  if (!values) return;
  for (const path of seen(checkpoint).limited) {
    const field = document.getElementById(`${page}-${path.replace(/[._]/g, "-")}`);
    const span = checkpoint.span(path, values.resolution);
    if (!field || !span) continue;
    field.toggleAttribute("data-fixed", span.low === span.high);
    if (!lines.has(path)) {
      const line = Object.assign(document.createElement("span"), { className: "o-limit", role: "status" });
      lines.set(path, line);
    }
    const line = lines.get(path);
    if (line.parentNode !== field) field.append(line);
    render(html`<${Limit} path=${path} value=${values[path]} span=${span} />`, line);
  }
});

function Limit({ path, value, span: { low, high, reason } }) {
  const wrong = value != null && (value < low || value > high);
  if (!wrong) return low === high ? reason : null;
  const nearest = Math.min(Math.max(value, low), high);
  const fix = () =>
    fill(path.split(".").reduceRight((inner, name) => ({ [name]: inner }), /** @type {any} */ (nearest)));
  return html`
    ${reason}
    <button type="button" class="o-btn o-fix" onClick=${fix}>${say("fix.use", { value: nearest })}</button>
  `;
}
