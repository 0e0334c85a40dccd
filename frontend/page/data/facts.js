// What the server wrote into the page for its scripts: the page's name and title, the request kind, every word, the
// canvas table.

const facts = JSON.parse(document.getElementById("o-facts").textContent);

export const page = facts.page;
export const title = facts.title;
export const kind = facts.kind;

/** Whether this server wants a token of whoever asks it. */
export const hasToken = facts.has_token;

/** The places that exist, by name: `{ title, path }`. */
export const places = facts.places;

/** Pages with a form, by name: [path, the request that they make]. */
export const pages = facts.pages;

/** Kinds of request, by name: `{ takes, makes, acts, … }`; `kinds.js` reads them. */
export const kinds = facts.kinds;

/** What is measured of a comparison's results: `{ name, title, help, unit, digits }` each. */
export const metrics = facts.metrics;

/** Embodiments: [values of one action, or null; values of the state]. */
export const bodies = facts.bodies;

/** This page's examples that need more than words. */
export const starters = facts.starters;

/** [width, height] in pixels of a tier and a shape. */
export const canvasOf = (resolution, aspectRatio) => facts.canvases[resolution]?.[aspectRatio];

/** A sentence of the page with its gaps filled: say("estimate.steps", { steps: 20 }). */
export const say = (key, values = {}) => facts.words[key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

/** Whether the page has such a sentence. */
export const hasWords = (key) => key in facts.words;

/** What people read for a field of a request, by its name without its group: "Steps" for `num_inference_steps`. */
export const titleOf = (name) => facts.titles[name] ?? name.replaceAll("_", " ");

/** What people read for an embodiment. */
export const embodimentName = (name) =>
  hasWords(`embodiment.${name}`) ? say(`embodiment.${name}`) : name.replaceAll("_", " ");

/** A value of a field as people read it. */
export const readable = (value) => (typeof value === "boolean" ? say(value ? "fix.on" : "fix.off") : String(value));

/** The same of a number, as `{count}` where a key has one: of 1 the sentence under its key and `_one`. */
export const counted = (key, count, values = {}) =>
  say(count === 1 ? `${key}_one` : key, { count: count.toLocaleString(), ...values });

/** Seconds as read: 0.8 s, 14 s, 3 min 20 s. */
export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds); // first, so that 119.7 s is 2 min 0 s
  if (whole < 90) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 90 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
