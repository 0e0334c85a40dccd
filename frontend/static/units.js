// Units beside the numbers of sliders: written as a CSS variable, since Gradio's number box holds no text.

import { say } from "./facts.js";
import { form } from "./form_values.js";

const UNITS = { count: (value) => say(value === 1 ? "form.picture" : "form.pictures") };

function paint() {
  for (const [path, unit] of Object.entries(UNITS)) {
    const field = document.querySelector(`[id$="-${path}"].o-range`);
    field?.style.setProperty("--o-unit", JSON.stringify(unit(form.values[path])));
  }
}

form.addEventListener("state", paint);
