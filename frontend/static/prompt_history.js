// The prompts of earlier jobs, newest first and each once: what every device sees, for it is read from the jobs.

import { say } from "./facts.js";
import { icon } from "./icons.js";
import { make } from "./nodes.js";
import { popover } from "./popover.js";
import { fill } from "./reuse.js";
import { ask } from "./server.js";

const JOBS = 300;
const MOST = 40;

/** The button and its list. */
export function promptHistory() {
  const button = make("button", { type: "button", class: "o-btn", "data-do": "history" }, icon("clock", 15), say("tools.history"));
  const opened = async () => {
    pop.panel.replaceChildren(make("p", {}, say("tools.reading")));
    const jobs = (await ask("GET", `/v1/jobs?limit=${JOBS}`))?.jobs ?? [];
    const prompts = [...new Set(jobs.map(({ request }) => request.written_from ?? request.prompt))].slice(0, MOST);
    const take = (prompt) => {
      fill({ prompt });
      pop.close();
    };
    pop.panel.replaceChildren(
      ...(prompts.length ? [] : [make("p", {}, say("tools.no_history"))]),
      ...prompts.map((prompt) => make("button", { type: "button", class: "o-row", title: prompt, on: { click: () => take(prompt) } }, prompt)),
    );
    pop.panel.querySelector("button")?.focus();
  };
  const pop = popover(button, { opened });
  return pop.node;
}
