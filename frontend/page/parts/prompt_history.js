// Earlier prompts to take again, newest first and each once.

import { say } from "../data/facts.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { Icon, icon } from "./icons.js";
import { make } from "./nodes.js";
import { Popover, popover } from "./popover.js";

const MOST = 40;

/**
 * The button and its list; `earlier` gives the prompts, `take` is told which one was chosen, `none` is said where there
 * is none.
 */
export const PromptHistory = ({ earlier, take, none, up = false }) => html`
  <${Popover}
    label=${say("tools.history")}
    up=${up}
    data-do="history"
    face=${html`<${Icon} name="clock" size="15" /><span>${say("tools.history")}</span>`}
  >
    ${(close) => html`<${Prompts} earlier=${earlier} none=${none} take=${(prompt) => close() || take(prompt)} />`}
  <//>
`;

function Prompts({ earlier, take, none }) {
  const prompts = useSignal(null);
  const first = useRef(null);
  useEffect(() => {
    earlier().then((found) => {
      prompts.value = [...new Set(found)].slice(0, MOST);
    });
  }, []);
  useEffect(() => first.current?.focus(), [prompts.value]);
  if (!prompts.value) return html`<p>${say("tools.reading")}</p>`;
  if (!prompts.value.length) return html`<p>${none}</p>`;
  return prompts.value.map(
    (prompt, index) => html`
      <button ref=${index ? null : first} type="button" class="o-row" title=${prompt} onClick=${() => take(prompt)}>
        ${prompt}
      </button>
    `,
  );
}

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
