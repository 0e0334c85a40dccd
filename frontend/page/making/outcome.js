// What the server's answer to a submission was, said where it belongs: below a field, or as a toast when it belongs to
// none.

import { toast } from "../parts/errors.js";
import { page, say } from "../data/facts.js";
import { hintOf, faultWords } from "../data/faults.js";
import { Fixes, fixesFor } from "../parts/fixes.js";
import { form } from "../form/values.js";
import { lost } from "../data/gone.js";
import { fill } from "../parts/reuse.js";
import { html, render } from "../vendor/preact.js";
import { selection } from "./selection.js";

class Errors extends HTMLElement {
  #clear = () => {};

  connectedCallback() {
    this.setAttribute("role", "alert");
    this.className = "o-sr";
  }

  /** What a submission came to: `{ jobs }`, their ids, or the server's error. */
  show(outcome) {
    this.#clear();
    if (outcome.jobs) {
      [this.dataset.job] = outcome.jobs;
      return selection.ask(outcome.jobs);
    }
    delete this.dataset.job;
    // The boxes find out which of them it is.
    if (outcome.code === "media_not_found")
      for (const box of document.querySelectorAll(".o-media[data-media]")) lost.check(box.dataset.media);
    const field = outcome.param && fieldOf(outcome.param);
    if (field) this.#point(field, outcome);
    else this.#toast(outcome);
  }

  #toast(outcome) {
    const [fix] = fixesFor(outcome, form.request());
    toast(outcome.message, hintOf(outcome), "bad", fix && { ...fix, act: () => fill(fix.values) });
  }

  #point(field, outcome) {
    const words = faultWords(besideField(outcome));
    const line = Object.assign(document.createElement("span"), { className: "o-error-line", id: `${field.id}-error` });
    render(html`${words}${" "}<${Fixes} error=${outcome} request=${form.request()} />`, line);
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

/** The error as it reads beside its field, which need not be named there. */
function besideField(error) {
  const { code, message, param } = error;
  const given = form.get(param) ?? form.get(param.split(".")[0]);
  if (code === "bad_input" && given == null) return { message: say("error.needed") };
  const rest = message.slice(param.length);
  if (message.startsWith(`${param}: `)) return { ...error, message: rest[2].toUpperCase() + rest.slice(3) };
  return message.startsWith(`${param} `) ? { ...error, message: `It${rest}` } : error;
}

/** What stands for a field of the request: its own component, or that of the part which holds it. */
function fieldOf(path) {
  const paths = [path, path.split(".")[0]];
  const held = [...document.querySelectorAll("[data-spec]")].find((part) =>
    JSON.parse(part.dataset.spec).paths?.some((held) => paths.includes(held)),
  );
  return held?.closest(".o-field") ?? document.getElementById(`${page}-${path.replace(/[._]/g, "-")}`);
}

customElements.define("o-errors", Errors);
