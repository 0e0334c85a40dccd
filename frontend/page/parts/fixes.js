// What went wrong, with a button that puts it right: the form is filled with what would work, or another place opens.

import { checkpoint } from "../data/checkpoint.js";
import { say } from "../data/facts.js";
import { wayOf } from "../data/faults.js";
import { html } from "../vendor/preact.js";
import { fill } from "./reuse.js";

const TIERS = ["256", "480", "720", "768"];
const STRIDE = 4;

/** @typedef {{ words: string, values?: object, href?: string }} Fix */

/** Buttons for an error of a request; none where nothing is known to help. `take` gets the values that would. */
export const Fixes = ({ error, request, take = fill }) =>
  fixesFor(error, request).map(({ words, values, href }) =>
    href
      ? html`<a class="o-btn o-fix" href=${href}>${words}</a>`
      : html`<button type="button" class="o-btn o-fix" onClick=${() => take(values)}>${words}</button>`,
  );

/**
 * Of each thing that would help `{ words, values }`, or `{ words, href }` where it is done in another place.
 *
 * @returns {Fix[]}
 */
export const fixesFor = (error, request) => [...changesFor(error, request), wayOf(error)].filter(Boolean);

function changesFor(error, request) {
  if (!error) return [];
  if (error.code === "out_of_memory") return smaller(request);
  if (error.code === "prompt_too_long" && request.written_from)
    return [{ words: say("fix.own_words"), values: { prompt: request.written_from } }];
  const path = error.param;
  if (!path) return [];
  const allowed = checkpoint.allowed(path);
  if (allowed.length)
    return allowed
      .slice(0, 3)
      .map((value) => ({ words: say("fix.use", { value: shown(path, value) }), values: nested(path, value) }));
  const span = checkpoint.span(path, request.resolution);
  const value = span && valueAt(request, path);
  if (!span || value == null) return [];
  const nearest = Math.min(Math.max(value, span.low), span.high);
  return nearest === value ? [] : [{ words: say("fix.use", { value: nearest }), values: nested(path, nearest) }];
}

/** What takes less memory: the next smaller tier, and half the frames. */
function smaller({ resolution, num_frames: frames, count }) {
  const tier = TIERS[TIERS.indexOf(resolution) - 1];
  const half = frames && 1 + STRIDE * Math.floor((frames - 1) / STRIDE / 2);
  return [
    tier && { words: say("fix.tier", { tier }), values: { resolution: tier } },
    half && half >= 5 && { words: say("fix.frames", { frames: half }), values: { num_frames: half } },
    count > 1 && { words: say("fix.one"), values: { count: 1 } },
  ].filter(Boolean);
}

const shown = (path, value) =>
  path === "resolution" ? `${value}p` : typeof value === "boolean" ? say(value ? "fix.on" : "fix.off") : String(value);

const valueAt = (request, path) => path.split(".").reduce((level, name) => level?.[name], request);

const nested = (path, value) => path.split(".").reduceRight((inner, name) => ({ [name]: inner }), value);
