// Moving videos by their frames: the slider, and the keys. J and L or the arrows step, K plays.

import { html, useLayoutEffect, useRef } from "../vendor/preact.js";
import { isTyping } from "./keyboard.js";

const STEPS = { j: -1, ArrowLeft: -1, l: 1, ArrowRight: 1 };
const TAKES_ARROWS =
  "[role=radio], [role=slider], [role=menu], input[type=range], select, o-strip button, .o-tile, .o-popover";

/** At `frame` of `frames`, counted from 0; `label` names it, `words` say where it is, `go` is told where to. */
export const FrameSlider = ({ frame, frames, label, words, go }) => html`
  <input
    type="range"
    min="0"
    max=${frames - 1}
    step="1"
    value=${frame}
    aria-label=${label}
    aria-valuetext=${words}
    style=${{ "--range_progress": `${(100 * frame) / Math.max(frames - 1, 1)}%` }}
    onInput=${({ currentTarget }) => go(Number(currentTarget.value))}
  />
`;

/**
 * Hear the page's keys for what has `toggle()` and `step(by)`, while `hears()`; `more` has what further keys do. Nothing
 * is heard while somebody types, while a dialog is open that `place`, a ref, is not in, or of arrows where they move
 * something else.
 */
export function useFrameKeys(moved, place, hears, more = {}) {
  const latest = useRef(null);
  latest.current = { moved, hears, acts: { ...more, k: () => moved.toggle() } };
  useLayoutEffect(() => {
    const onKey = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const { moved, hears, acts } = latest.current;
      const dialog = document.querySelector("dialog[open]");
      if ((dialog && !dialog.contains(place.current)) || !hears()) return;
      if (event.key.startsWith("Arrow") && event.target.closest?.(TAKES_ARROWS)) return;
      const by = STEPS[event.key];
      const act = by ? () => moved.step(by) : acts[event.key];
      if (!act) return;
      act();
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
