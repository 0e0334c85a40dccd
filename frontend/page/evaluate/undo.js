// The way back from changes that are not saved: Ctrl+Z, and a button that can be seen.

import { say } from "../data/facts.js";
import { html, useSignal } from "../vendor/preact.js";

/**
 * `draft` is a signal of what was changed, null before; `begins` is what stands there then, and `same` compares two of
 * these. `remember` is called before a change, `undone` after one was taken back.
 */
export function useUndo(draft, begins, same, undone = () => {}) {
  const earlier = useSignal([]);
  function undo() {
    const now = draft.peek() ?? begins;
    // A pointer that only touched something has changed nothing.
    const at = earlier.peek().findLastIndex((one) => !same(one ?? begins, now));
    if (at >= 0) draft.value = earlier.peek()[at];
    earlier.value = earlier.peek().slice(0, Math.max(at, 0));
    undone();
  }
  return {
    remember: () => {
      earlier.value = [...earlier.peek(), draft.peek()];
    },
    hear: (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== "z")
        return;
      event.preventDefault();
      undo();
    },
    button: html`
      <button type="button" class="o-btn" data-do="undo" title="Ctrl+Z" disabled=${!earlier.value.length} onClick=${undo}>
        ${say("evaluate.undo")}
      </button>
    `,
  };
}
