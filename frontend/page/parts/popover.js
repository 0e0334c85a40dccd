// A button that opens something beside it: closed by Escape, by a click elsewhere and by a choice.

import { make, mark, show } from "./nodes.js";

/** `{ node, button, panel, close }`; `opened` is called before it is shown. `up` opens it above the button. */
export function popover(button, { opened = () => {}, up = false, label = "" } = {}) {
  const panel = make("div", {
    class: "o-popover",
    hidden: true,
    "data-up": up || null,
    role: "dialog",
    "aria-label": label || button.textContent,
  });
  const node = make("span", { class: "o-pop" }, button, panel);
  mark(button, "aria-expanded", "false");
  mark(button, "aria-haspopup", "dialog");
  const set = (open) => {
    show(panel, open);
    mark(button, "aria-expanded", String(open));
  };
  const close = () => {
    if (panel.hidden) return;
    const held = panel.contains(document.activeElement);
    set(false);
    if (held) button.focus();
  };
  button.addEventListener("click", () => {
    if (!panel.hidden) return close();
    opened();
    set(true);
    panel.querySelector("input, button, a")?.focus();
  });
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) {
      event.stopPropagation();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [...panel.querySelectorAll("button, a")].filter((stop) => stop.offsetParent);
    if (!step || panel.hidden || !stops.length || event.target.type === "number") return;
    event.preventDefault();
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  });
  document.addEventListener("pointerdown", (event) => node.contains(event.target) || close(), true);
  return { node, button, panel, close };
}
