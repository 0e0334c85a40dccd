// Below the prompt: have it written out, take an earlier one, keep and load the form's values.

import { say } from "../data/facts.js";
import { define } from "../parts/element.js";
import { PromptHistory } from "../parts/prompt_history.js";
import { fill } from "../parts/reuse.js";
import { ask } from "../parts/server.js";
import { html } from "../vendor/preact.js";
import { CaptionEditor } from "./caption_editor.js";
import { FormPresets } from "./presets.js";
import { Upsampling } from "./upsampling.js";

const JOBS = 300;

// Read from the jobs, so that every device sees the same.
async function promptsOfJobs() {
  const jobs = (await ask("GET", `/v1/jobs?limit=${JOBS}`))?.jobs ?? [];
  return jobs.map(({ request }) => request.written_from ?? request.prompt);
}

define(
  "o-prompt-tools",
  ({ element }) => html`
    <${Upsampling} refused=${JSON.parse(element.dataset.spec).refused}>
      <${PromptHistory}
        earlier=${promptsOfJobs}
        take=${(prompt) => fill({ prompt })}
        none=${say("tools.no_history")}
      />
      <${FormPresets} />
    <//>
    <${CaptionEditor} />
  `,
);
