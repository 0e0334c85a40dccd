// The settings that made something, and what is known of the file, as people read them.

import { counted, duration, embodimentName, readable, say, titleOf } from "./facts.js";

const LEFT_OUT = ["prompt", "kind", "recipe"];

/** Bytes as read: 812 kB, 3.4 MB, 1.2 GB. */
export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let value = count ?? 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** [name, value] of every setting of a request, nested ones by their own name, without the prompt. */
export function recipeOf(request) {
  return Object.entries(request).flatMap(([name, value]) => {
    if (LEFT_OUT.includes(name) || value === null || value === "" || (Array.isArray(value) && !value.length)) return [];
    if (Array.isArray(value)) return [[titleOf(name), listed(value)]];
    if (typeof value === "object") return recipeOf(value);
    return [[titleOf(name), name === "embodiment" ? embodimentName(value) : readable(value)]];
  });
}

const listed = (values) =>
  values.every((value) => typeof value !== "object") ? values.join(", ") : counted("recipe.rows", values.length);

/** Of what a step cache had a part in: how many of its steps took over what an earlier one had computed. */
export const keptSteps = ({ num_kept_steps: kept, num_computed_steps: computed }) =>
  kept == null ? "" : say("recipe.kept_steps", { kept, steps: kept + computed });

/** 256×256×17 · 12 fps · 1.4 s · 240 kB · speck · 21 Nov 2026, 14:02 */
export function factsOf(item) {
  const size = item.width ? [item.width, item.height, ...(item.num_frames ? [item.num_frames] : [])].join("×") : "";
  return [
    size,
    item.num_actions ? say("meta.actions", { actions: item.num_actions }) : "",
    item.fps ? say("meta.fps", { fps: item.fps }) : "",
    item.duration_s ? duration(item.duration_s) : "",
    item.has_sound ? say("library.sound") : "",
    bytes(item.size_bytes),
    item.seed == null ? "" : say("meta.seed", { seed: item.seed }),
    keptSteps(item),
    item.checkpoint ?? "",
    new Date(item.created_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short", hour12: false }),
  ]
    .filter(Boolean)
    .join(" · ");
}
