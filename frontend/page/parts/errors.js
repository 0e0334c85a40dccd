// A message in the corner, for what belongs to no field.

import { say } from "../data/facts.js";
import { make } from "./nodes.js";

const STAY_MS = { good: 4000, bad: 12000 };
const STAY_TO_ACT_MS = 12000;

/**
 * A message in the corner; it goes by itself or with its button. `action` is what may be done about it: `{ words }` and
 * `act` or `href`.
 */
export function toast(message, hint = "", tone = "good", action = null) {
  const close = make("button", { type: "button", class: "o-toast-close", "aria-label": say("error.close") }, "×");
  const note = make(
    "div",
    { class: "o-toast", "data-tone": tone, role: tone === "bad" ? "alert" : "status" },
    make("div", {}, make("b", {}, message), hint ? make("span", {}, hint) : ""),
    action ? wayOn(action, () => note.remove()) : "",
    close,
  );
  close.addEventListener("click", () => note.remove());
  document.querySelector(".o-toasts").append(note);
  setTimeout(() => note.remove(), action ? STAY_TO_ACT_MS : STAY_MS[tone]);
}

function wayOn({ words, href, act }, close) {
  if (href) return make("a", { class: "o-toast-act", href, on: { click: close } }, words);
  return make(
    "button",
    {
      type: "button",
      class: "o-toast-act",
      on: {
        click: () => {
          close();
          act();
        },
      },
    },
    words,
  );
}
