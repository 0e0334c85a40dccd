// Which policy drives this server's own arm: the default checkpoint, the scripted one, or a policy server's address.

import { say } from "../data/facts.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { Icon } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { askJson, useAnswer } from "../parts/server.js";
import { html, useRef } from "../vendor/preact.js";
import { robot } from "./link.js";

const DOTS = { ready: "good", connecting: "wait" };

export function PolicySource({ tick }) {
  const { name, now, engaged } = seen(robot);
  const { checkpoint } = seen(live).state.system;
  // Asked again when the arm's program has started again, and when another checkpoint is the default.
  const { own } = useAnswer("/v1/robots", `${checkpoint?.id} ${now.connected} ${name} ${now.hello?.policy}`) ?? {};
  const face = html`
    <i class="o-dot" data-state=${DOTS[tick.policy] ?? "bad"} /><span>${say(`policy.${tick.policy}`)}</span>
  `;
  if (own?.name !== name) return html`<span class="o-policy" title=${tick.policy_words}>${face}</span>`;
  const driver = own.driver === "scripted" ? say("source.scripted") : own.driver;
  return html`
    <${Popover}
      up
      label=${say("source.title")}
      class="o-btn o-policy"
      title=${tick.policy_words}
      data-do="policy"
      disabled=${engaged}
      face=${html`${face}<b>${driver}</b><${Icon} name="up" size="13" />`}
    >
      ${(close) => html`<${Sources} own=${own} close=${close} />`}
    <//>
  `;
}

function Sources({ own, close }) {
  const address = useRef(null);
  const { checkpoint } = seen(live).state.system;
  async function select(source) {
    if (await askJson("PUT", "/v1/robots/own/policy", { source })) close();
  }
  const row = (source, words, hint) => html`
    <button
      type="button"
      class="o-row"
      data-source=${source}
      aria-pressed=${String(own.source === source)}
      onClick=${() => select(source)}
    >
      ${words}<small>${hint}</small>
    </button>
  `;
  const remote = own.source.startsWith("ws") ? own.source : "";
  return html`
    <p>${say("source.hint")}</p>
    ${row("checkpoint", say("source.checkpoint"), checkpoint?.title ?? "")}
    ${row("scripted", say("source.scripted"), say("source.scripted_hint"))}
    <form
      class="o-save"
      onSubmit=${(event) => {
        event.preventDefault();
        select(address.current.value.trim());
      }}
    >
      <input
        ref=${address}
        class="o-select"
        type="text"
        inputmode="url"
        required
        pattern="wss?://.+"
        defaultValue=${remote}
        placeholder="ws://192.168.1.7:8000"
        aria-label=${say("source.remote")}
      />
      <button type="submit" class="o-btn">${say("source.connect")}</button>
    </form>
  `;
}
