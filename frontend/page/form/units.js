// Units beside the numbers of sliders: written as a CSS variable, since Gradio's number box holds no text.

import { kind, say } from "../data/facts.js";
import { form } from "./values.js";
import { acts, canMake } from "../data/kinds.js";

const made = canMake(kind, "image") ? "picture" : canMake(kind, "video") ? "clip" : "answer";
const seconds = (frames) => say("form.seconds", { seconds: (frames / (form.values.fps || 1)).toFixed(1) });
const UNITS = {
  count: (value) => say(value === 1 ? `form.${made}` : `form.${made}s`),
  num_frames: (value) => say("form.frames", { fps: form.values.fps, seconds: seconds(value) }),
  num_chunk_frames: (value) => say("form.frames", { fps: form.values.fps, seconds: seconds(value) }),
  num_actions: (value) => say("form.actions", { seconds: seconds(value) }),
  fps: () => say(acts(kind) ? "form.rate" : "form.fps"),
};

function paint() {
  for (const [path, unit] of Object.entries(UNITS)) {
    if (form.values[path] == null) continue;
    const field = document.querySelector(`[id$="-${path.replaceAll("_", "-")}"].o-range`);
    field?.style.setProperty("--o-unit", JSON.stringify(unit(form.values[path])));
  }
}

form.addEventListener("state", paint);
