// What follows from the form's values and is said beside its fields: the exact canvas in pixels beside the size, units
// beside the numbers of sliders.

import { kind, say } from "../data/facts.js";
import { acts, canMake } from "../data/kinds.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { effect } from "../vendor/preact.js";
import { form } from "./values.js";

const made = canMake(kind, "image") ? "picture" : canMake(kind, "video") ? "clip" : "answer";
const seconds = (frames) => say("form.seconds", { seconds: (frames / (form.values.fps || 1)).toFixed(1) });
const UNITS = {
  count: (value) => say(`form.${value === 1 ? made : `${made}s`}`),
  num_frames: (value) => say("form.frames", { fps: form.values.fps, seconds: seconds(value) }),
  num_chunk_frames: (value) => say("form.frames", { fps: form.values.fps, seconds: seconds(value) }),
  num_actions: (value) => say("form.actions", { seconds: seconds(value) }),
  fps: () => say(acts(kind) ? "form.rate" : "form.fps"),
};

// Written as a CSS variable, since Gradio's number box holds no text.
effect(() => {
  const { values } = seen(form);
  if (!values) return;
  for (const [path, unit] of Object.entries(UNITS)) {
    if (values[path] == null) continue;
    const field = document.querySelector(`[id$="-${path.replaceAll("_", "-")}"].o-range`);
    field?.style.setProperty("--o-unit", JSON.stringify(unit(values[path])));
  }
});

define("o-canvas", () => {
  const [width, height] = seen(form).canvas ?? [];
  return width ? say("form.pixels", { width, height }) : null;
});
