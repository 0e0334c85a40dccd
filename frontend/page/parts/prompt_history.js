// Earlier prompts to take again, newest first and each once.

import { say } from "../data/facts.js";
import { icon } from "./icons.js";
import { make } from "./nodes.js";
import { popover } from "./popover.js";

const MOST = 40;

/**
 * The button and its list; `earlier` gives the prompts, `take` is told which one was chosen, `none` is said where none
 * is.
 */
export function promptHistory({ earlier, take, none, up = false }) {
  const button = make(
    "button",
    { type: "button", class: "o-btn", "data-do": "history" },
    icon("clock", 15),
    make("span", {}, say("tools.history")),
  );
  const opened = async () => {
    pop.panel.replaceChildren(make("p", {}, say("tools.reading")));
    const prompts = [...new Set(await earlier())].slice(0, MOST);
    const choose = (prompt) => {
      pop.close();
      take(prompt);
    };
    pop.panel.replaceChildren(
      ...(prompts.length ? [] : [make("p", {}, none)]),
      ...prompts.map((prompt) =>
        make("button", { type: "button", class: "o-row", title: prompt, on: { click: () => choose(prompt) } }, prompt),
      ),
    );
    pop.panel.querySelector("button")?.focus();
  };
  const pop = popover(button, { opened, up });
  return pop.node;
}
