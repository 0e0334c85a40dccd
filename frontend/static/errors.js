// What went wrong, said where it belongs: below a field, or as a toast when it belongs to none.

import { say } from "./facts.js";
import { make } from "./nodes.js";
import { selection } from "./selection.js";

const STAY_MS = { good: 4000, bad: 12000 };

/** A message in the corner; it goes by itself or with its button. */
export function toast(message, hint = "", tone = "good") {
  const close = make("button", { type: "button", class: "o-toast-close", "aria-label": say("error.close") }, "×");
  const note = make(
    "div",
    { class: "o-toast", "data-tone": tone, role: tone === "bad" ? "alert" : "status" },
    make("div", {}, make("b", {}, message), hint ? make("span", {}, hint) : ""),
    close,
  );
  close.addEventListener("click", () => note.remove());
  document.querySelector(".o-toasts").append(note);
  setTimeout(() => note.remove(), STAY_MS[tone]);
}

class Errors extends HTMLElement {
  #clear = () => {};

  connectedCallback() {
    this.setAttribute("role", "alert");
    this.className = "o-sr";
  }

  /** What a submission came to: `job`, or `message`, `hint` and the `field` they belong to. */
  set model(outcome) {
    this.#clear();
    if (outcome?.job) selection.follow();
    if (!outcome?.message) return;
    const field = outcome.field && document.getElementById(outcome.field);
    if (field) this.#point(field, outcome);
    else toast(outcome.message, outcome.hint, "bad");
  }

  #point(field, { message, hint }) {
    const line = make("span", { class: "o-error-line", id: `${field.id}-error` }, [message, hint].filter(Boolean).join(" "));
    const input = field.querySelector("textarea, input, [role=radiogroup]");
    field.classList.add("o-wrong");
    field.append(line);
    this.textContent = line.textContent;
    input?.setAttribute("aria-invalid", "true");
    input?.setAttribute("aria-describedby", line.id);
    field.scrollIntoView({ block: "nearest" });
    (input?.matches("[role=radiogroup]") ? input.querySelector("[tabindex='0']") : input)?.focus();
    this.#clear = () => {
      field.removeEventListener("input", this.#clear);
      field.removeEventListener("o-pick", this.#clear);
      field.classList.remove("o-wrong");
      line.remove();
      input?.removeAttribute("aria-invalid");
      input?.removeAttribute("aria-describedby");
      this.textContent = "";
      this.#clear = () => {};
    };
    field.addEventListener("input", this.#clear);
    field.addEventListener("o-pick", this.#clear, { capture: true });
  }
}

customElements.define("o-errors", Errors);
