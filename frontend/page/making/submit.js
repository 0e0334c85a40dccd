// Generate: the form as it stands is posted as a job, or as a batch with one for each of its prompts, and what came of
// it is said.

import { say } from "../data/facts.js";
import { form } from "../form/values.js";
import { MOST_PROMPTS, promptsOf } from "../form/wildcards.js";

const SEED = "sampling.seed";

/**
 * Called by the form's button with what its components say; what it returns is the seed that the form then shows.
 *
 * @param {string[]} names
 * @param {any[]} values
 */
export async function submit(names, values) {
  form.remember(names, values);
  const outcome = document.querySelector("o-errors");
  const prompts = promptsOf(form.get("prompt") ?? "");
  if (prompts.length > MOST_PROMPTS) {
    const message = say("wildcards.most", { count: prompts.length, most: MOST_PROMPTS });
    outcome.show({ code: "too_large", param: "prompt", message, hint: say("wildcards.most_hint") });
    return form.values[SEED];
  }
  try {
    const isBatch = prompts.length > 1;
    const response = await (isBatch ? postBatch(prompts) : postJob());
    const answer = await response.json();
    if (!response.ok) outcome.show(answer.error);
    const jobs = isBatch ? answer.jobs : [answer];
    if (response.ok) outcome.show({ jobs: jobs.map(({ id }) => id) });
    if (response.ok) return jobs[0].request.sampling.seed;
  } catch {
    outcome.show({ message: say("error.unreachable"), hint: say("error.unreachable_hint") });
  }
  return form.values[SEED];
}

const post = (path, body) =>
  fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

const postJob = () => post(`/v1/jobs?priority=${form.values.priority || "normal"}`, form.request());

// All with one seed, so that nothing but the prompt differs.
function postBatch(prompts) {
  const { sampling, ...request } = form.request();
  const { seed = Math.floor(Math.random() * 2 ** 32) } = sampling;
  return post("/v1/batches", {
    request: { ...request, sampling: { ...sampling, seed } },
    axes: { prompt: prompts },
    priority: form.values.priority || "normal",
  });
}
