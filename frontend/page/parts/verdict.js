// Of what was made with no guardrail to look at it, a small mark that says so.

import { say } from "../data/facts.js";
import { html } from "../vendor/preact.js";

/** The mark of a job; nothing where there was a guardrail, or where it was not asked. */
export const Verdict = ({ job }) =>
  job?.state === "succeeded" && job.guardrail === "not_installed"
    ? html`<span class="o-verdict" title=${say("guardrails.not_installed")}>${say("guardrail.none")}</span>`
    : null;
