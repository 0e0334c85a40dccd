// Of what was made with no guardrail to look at it, a small mark that says so.

import { say } from "../data/facts.js";
import { html } from "../vendor/preact.js";
import { make, show } from "./nodes.js";
import { html } from "../vendor/preact.js";

const unguarded = (job) => job?.state === "succeeded" && job.guardrail === "not_installed";

/** The mark of a job; nothing where there was a guardrail, or where it was not asked. */
export const VerdictChip = ({ job }) =>
  unguarded(job) &&
  html`<span class="o-verdict" title=${say("guardrails.not_installed")}>${say("guardrail.none")}</span>`;

/** `{ node, paint(job) }`: hidden where there was a guardrail, or where it was not asked. */
export function verdictChip() {
  const node = make(
    "span",
    { class: "o-verdict", title: say("guardrails.not_installed"), hidden: true },
    say("guardrail.none"),
  );
  return { node, paint: (job) => show(node, unguarded(job)) };
}

/** The same as a component. */
export const Verdict = ({ job }) =>
  job?.state === "succeeded" && job.guardrail === "not_installed"
    ? html`<span class="o-verdict" title=${say("guardrails.not_installed")}>${say("guardrail.none")}</span>`
    : null;
