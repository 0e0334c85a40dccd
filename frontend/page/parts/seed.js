// "New", "+1" and whether it is locked, beside a seed.

import { say } from "../data/facts.js";
import { html } from "../vendor/preact.js";
import { Icon } from "./icons.js";

/** The three buttons; `fresh`, `next` and `lock` are called by them. */
export const SeedButtons = ({ locked, fresh, next, lock }) => html`
  <button type="button" class="o-btn" title=${say("form.new_help")} onClick=${fresh}>
    <${Icon} name="again" size="15" />${say("form.new")}
  </button>
  <button type="button" class="o-btn" title=${say("form.next_help")} onClick=${next}>${say("form.next")}</button>
  <button
    type="button"
    class="o-btn"
    title=${say(locked ? "form.locked_help" : "form.random_help")}
    aria-pressed=${String(Boolean(locked))}
    data-seed=${locked ? "locked" : "random"}
    onClick=${lock}
  >
    <${Icon} name=${locked ? "closed" : "open"} size="15" />${say(locked ? "form.locked" : "form.random")}
  </button>
`;
