// Which checkpoint runs the form's request, and the LoRA adapter on top of it. Another checkpoint brings its own
// defaults, so that the server fills the form in anew; what a person has set stays.

import { checkpoint } from "../data/checkpoint.js";
import { kind, say } from "../data/facts.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { Icon } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { useAnswer } from "../parts/server.js";
import { html } from "../vendor/preact.js";
import { defineField } from "./field.js";
import { form } from "./values.js";

const BLANK = { checkpoint: null, adapter: null };
const SCALES = { min: -4, max: 4, step: 0.05 };

const switchTo = (id) =>
  document.dispatchEvent(new CustomEvent("o-switch", { detail: { checkpoint: id, draft: form.draft } }));

// The header's menu, which knows of no form, asks for it as well.
document.addEventListener("o-use-checkpoint", ({ detail }) => switchTo(detail));

function Model({ value: { checkpoint: picked, adapter }, put }) {
  const { checkpoint: byDefault } = seen(live).state.system;
  const title = seen(checkpoint).status?.title ?? "";
  const adapters = useAnswer("/v1/adapters", Boolean(byDefault))?.adapters ?? [];
  return html`
    <div class="o-model">
      <b>${say("model.title")}</b>
      <${Popover}
        label=${say("model.title")}
        class="o-btn o-model-button"
        aria-label=${say("model.button", { title })}
        data-do="model"
        face=${html`<span>${title}</span>${!picked && html`<small>${say("model.default")}</small>`}<${Icon} name="down" size="14" />`}
      >
        ${(close) => html`<${Choices} picked=${picked} byDefault=${byDefault} close=${close} />`}
      <//>
    </div>
    ${
      (adapters.length > 0 || adapter) &&
      html`<div class="o-model">
        <label for="o-adapter"><b>${say("model.adapter")}</b></label>
        <span class="o-adapter">
          <select
            id="o-adapter"
            class="o-select"
            onChange=${({ target }) => put({ adapter: target.value ? { name: target.value, scale: adapter?.scale ?? 1 } : null })}
          >
            <option value="" selected=${!adapter}>${say("model.no_adapter")}</option>
            ${names(adapters, adapter).map((name) => html`<option value=${name} selected=${name === adapter?.name}>${name}</option>`)}
          </select>
          ${
            adapter &&
            html`<input
              type="number"
              aria-label=${say("model.scale")}
              title=${say("model.scale")}
              ...${SCALES}
              value=${adapter.scale}
              onChange=${({ target }) => put({ adapter: { ...adapter, scale: Number(target.value) } })}
            />`
          }
        </span>
      </div>`
    }
  `;
}

// One that a recipe names and this server has not is shown too: Generate says that it is missing.
const names = (adapters, adapter) => [
  ...new Set([...adapters.map(({ name }) => name), ...(adapter ? [adapter.name] : [])]),
];

/** The installed checkpoints, those that do not make this greyed with the reason. */
function Choices({ picked, byDefault, close }) {
  const known = useAnswer("/v1/checkpoints", true)?.checkpoints;
  if (!known) return html`<p>${say("tools.reading")}</p>`;
  const row = (id, words, note, why = "") => html`
    <button
      key=${id}
      type="button"
      class="o-row"
      aria-pressed=${String(id === picked)}
      aria-disabled=${why ? "true" : null}
      onClick=${() => {
        if (why) return;
        close();
        if (id !== picked) switchTo(id);
      }}
    >
      ${words}<small>${why || note}</small>
    </button>
  `;
  const here = known.filter((entry) => entry.installed || entry.built_here);
  const why = ({ capabilities, title }) => (capabilities.kinds.includes(kind) ? "" : say("model.refused", { title }));
  return html`
    ${row(null, say("model.follow"), say("model.follow_hint", { title: byDefault?.title ?? "" }))}
    ${here.map((entry) => row(entry.id, entry.title, stateOf(entry), why(entry)))}
  `;
}

const stateOf = ({ id, state }) =>
  say(
    `header.${live.state.system.checkpoints?.[id]?.state ?? (state === "installed" || state === "absent" ? "unloaded" : state)}`,
  );

defineField("o-model", Model, BLANK);
