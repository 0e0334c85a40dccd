// What the server's answer to a submission was, said where it belongs: below a field, or as a toast when it belongs to
// none.

import { toast } from "../parts/errors.js";
import { hintOf, faultWords } from "../parts/faults.js";
import { fixButtons, fixesFor } from "../parts/fixes.js";
import { form } from "../form/values.js";
import { lost } from "../parts/gone.js";
import { make, mark } from "../parts/nodes.js";
import { fill } from "../parts/reuse.js";
import { selection } from "./selection.js";

class Errors extends HTMLElement {
  #clear = () => {};

  connectedCallback() {
    this.setAttribute("role", "alert");
    this.className = "o-sr";
  }

  /** What a submission came to: `job`, or `message`, `hint` and the `field` they belong to. */
  set model(outcome) {
    this.#clear();
    mark(this, "data-job", outcome?.job);
    if (outcome?.job) selection.follow();
    if (!outcome?.message) return;
    // The boxes find out which of them it is.
    if (outcome.code === "media_not_found")
      for (const box of document.querySelectorAll(".o-media[data-media]")) lost.check(box.dataset.media);
    const field = outcome.field && document.getElementById(outcome.field);
    if (field) this.#point(field, outcome, fixButtons(outcome, form.request()));
    else this.#toast(outcome);
  }

  #toast(outcome) {
    const [fix] = fixesFor(outcome, form.request());
    toast(outcome.message, hintOf(outcome), "bad", fix && { ...fix, act: () => fill(fix.values) });
  }

  #point(field, outcome, fixes) {
    const words = faultWords(outcome);
    const line = make("span", { class: "o-error-line", id: `${field.id}-error` }, words, " ", ...fixes);
    const input = field.querySelector("textarea, input, [role=radiogroup]");
    field.classList.add("o-wrong");
    field.append(line);
    this.textContent = words;
    input?.setAttribute("aria-invalid", "true");
    input?.setAttribute("aria-describedby", line.id);
    field.scrollIntoView({ block: "nearest" });
    (input?.matches("[role=radiogroup]") ? input.querySelector("[tabindex='0']") : input)?.focus();
    line.scrollIntoView({ block: "nearest" }); // of a part that is taller than the page, it stands at the end
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
