// Below the prompt: have it written out, take an earlier one, keep and load the form's values.

import { say } from "../data/facts.js";
import { formPresets } from "./presets.js";
import { promptHistory } from "../parts/prompt_history.js";
import { fill } from "../parts/reuse.js";
import { ask } from "../parts/server.js";
import { upsampling } from "./upsampling.js";

const JOBS = 300;

// Read from the jobs, so that every device sees the same.
async function promptsOfJobs() {
  const jobs = (await ask("GET", `/v1/jobs?limit=${JOBS}`))?.jobs ?? [];
  return jobs.map(({ request }) => request.written_from ?? request.prompt);
}

class PromptTools extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const { refused } = JSON.parse(this.dataset.spec);
    const { button, undo, panel } = upsampling(refused);
    const history = promptHistory({
      earlier: promptsOfJobs,
      take: (prompt) => fill({ prompt }),
      none: say("tools.no_history"),
    });
    this.append(button, history, formPresets(), undo, panel);
  }
}

customElements.define("o-prompt-tools", PromptTools);
