// Earlier prompts to take again, newest first and each once.

import { sentenceOf } from "../data/captions.js";
import { say } from "../data/facts.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { Icon } from "./icons.js";
import { Popover } from "./popover.js";

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
        ${sentenceOf(prompt)}
      </button>
    `,
  );
}
