// Generate: the form as it stands is posted as a job, and what came of it is said.

import { form } from "../form/values.js";
import { say } from "../data/facts.js";

/**
 * Called by the form's button with what its components say; what it returns is the seed that the form then shows.
 *
 * @param {string[]} names
 * @param {any[]} values
 */
export async function submit(names, values) {
  form.remember(names, values);
  const outcome = document.querySelector("o-errors");
  try {
    const response = await fetch(`/v1/jobs?priority=${form.values.priority || "normal"}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(form.request()),
    });
    const answer = await response.json();
    outcome.show(response.ok ? { job: answer.id } : answer.error);
    if (response.ok) return answer.request.sampling.seed;
  } catch {
    outcome.show({ message: say("error.unreachable"), hint: say("error.unreachable_hint") });
  }
  return form.values["sampling.seed"];
}
