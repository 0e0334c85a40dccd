// The page's keys, heard before anything else. Buttons say what they are for with data-hot or a class.

import { useLayoutEffect } from "../vendor/preact.js";

const submits = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey);

/** Whether a key is going into a text field. */
export function isTyping(event) {
  const target = event.composedPath()[0];
  return (
    event.isComposing ||
    Boolean(target.closest?.("textarea, select, [contenteditable=true], input:not([type=range], [type=checkbox])"))
  );
}

/** Hear keys while the element of `place` is visible, from the moment that it is drawn. */
export function useKeys(place, act) {
  useLayoutEffect(() => {
    const hear = (event) => place.current?.offsetParent && act(event);
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}

/** Press the visible button of a purpose. */
export function press(purpose) {
  const button = [...document.querySelectorAll(`[data-hot~=${purpose}], .o-hot-${purpose}`)].find(
    (found) => found.offsetParent,
  );
  if (!button || button.disabled) return false;
  button.click();
  return true;
}

const keys = () => document.querySelector(".o-keys");

addEventListener(
  "keydown",
  (event) => {
    if (event.repeat || keys()?.open) return;
    if (submits(event)) {
      if (!press("submit")) return;
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Escape") {
      // What is open above the page is closed by it, and nothing else.
      if (document.querySelector("o-rail[data-open], dialog[open], :popover-open, .o-popover:not([hidden])")) return;
      if (isTyping(event)) /** @type {HTMLElement} */ (event.composedPath()[0]).blur();
      else press("cancel");
    } else if (!isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (event.key === "?") keys()?.showModal();
      if (event.key === "f" && !document.querySelector("dialog[open]")) press("enlarge");
      if (event.key !== "/") return;
      event.preventDefault();
      document.querySelector("[id$='-prompt'] textarea, input[id$='-prompt'], [data-hot~=words]")?.focus();
    }
  },
  true,
);
