// A button that opens something beside it: closed by Escape, by a click elsewhere and by a choice.

import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";

const MARGIN = 8; // to the edges of the window, in CSS pixels
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/**
 * `face` is what stands on the button, `children` a function that draws what opens and is given what closes it; with
 * `up` it opens above the button. Further attributes go onto the button.
 */
export function Popover({ face, label, up = false, class: style = "o-btn", children, ...attributes }) {
  const open = useSignal(false);
  const node = useRef(null);
  const panel = useRef(null);

  function close() {
    if (panel.current?.contains(document.activeElement)) node.current.querySelector("button").focus();
    open.value = false;
  }
  function toggle() {
    if (open.value) close();
    else open.value = true;
  }
  function onKeyDown(event) {
    if (!open.value) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
    const step = STEPS[event.key];
    const stops = [...panel.current.querySelectorAll("button, a")].filter((stop) => stop.offsetParent);
    if (!step || !stops.length || event.target.type === "number") return;
    event.preventDefault();
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  }
  useLayoutEffect(() => {
    if (!open.value) return;
    panel.current.querySelector("input, button, a")?.focus();
    panel.current.scrollIntoView({ block: "nearest" }); // it may hang out of a column that scrolls
    const { left, right } = panel.current.getBoundingClientRect();
    const over = Math.max(right - innerWidth + MARGIN, 0) || Math.min(left - MARGIN, 0);
    panel.current.style.translate = `${-over}px`;
  }, [open.value]);
  useEffect(() => {
    if (!open.value) return;
    const elsewhere = (event) => node.current.contains(event.target) || close();
    document.addEventListener("pointerdown", elsewhere, true);
    return () => document.removeEventListener("pointerdown", elsewhere, true);
  }, [open.value]);

  return html`
    <span class="o-pop" ref=${node} onKeyDown=${onKeyDown}>
      <button
        type="button"
        class=${style}
        aria-haspopup="dialog"
        aria-expanded=${String(open.value)}
        onClick=${toggle}
        ...${attributes}
      >
        ${face}
      </button>
      ${
        open.value &&
        html`<div class="o-popover" ref=${panel} role="dialog" aria-label=${label} data-up=${up ? "true" : null}>
          ${children(close)}
        </div>`
      }
    </span>
  `;
}
