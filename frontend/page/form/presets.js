// A form's values under a name, kept by the server: every device loads the same.

import { kind, say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { Icon } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { load } from "../parts/reuse.js";
import { ask, askJson } from "../parts/server.js";
import { settings } from "../data/settings.js";
import { seen } from "../data/store.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { form } from "./values.js";

/** The button, what is saved, and a line to save under. */
export const FormPresets = () => html`
  <${Popover}
    label=${say("tools.presets")}
    data-do="presets"
    face=${html`<${Icon} name="bookmark" size="15" />${say("tools.presets")}`}
  >
    ${(close) => html`<${Presets} close=${close} />`}
  <//>
`;

/** The preset that this page opens with; undefined where there is none, or where it is gone. */
export async function defaultPreset() {
  const id = settings.values.presets[kind];
  const found = id && (await ask("GET", `/v1/presets?kind=${kind}`));
  return found?.presets.find((preset) => preset.id === id);
}

function Presets({ close }) {
  const { presets: defaults } = seen(settings).values;
  // Pressed once more, it is the default no longer.
  const mark = (id) => settings.put({ presets: { ...defaults, [kind]: defaults[kind] === id ? undefined : id } });
  const presets = useSignal(null); // null until the server has answered
  const name = useRef(null);

  const asked = useRef(0);
  async function read() {
    const turn = ++asked.current;
    const found = await ask("GET", `/v1/presets?kind=${kind}`);
    if (turn === asked.current) presets.value = found?.presets ?? []; // else overtaken by what was asked later
  }
  useEffect(() => {
    read();
  }, []);

  async function save(event) {
    event.preventDefault();
    if (!name.current.value.trim()) return name.current.focus();
    const { kind: _, ...values } = form.request();
    const saved = await askJson("POST", "/v1/presets", { kind, name: name.current.value, values });
    if (!saved) return;
    toast(say("tools.saved", { name: saved.name }));
    name.current.value = "";
    read();
  }
  function take(preset) {
    load(preset.values);
    close();
    toast(say("tools.loaded", { name: preset.name }));
  }
  async function drop({ id, name, values }) {
    if (!(await ask("DELETE", `/v1/presets/${id}`))) return;
    read();
    const saveAgain = () => askJson("POST", "/v1/presets", { kind, name, values }).then(read);
    toast(say("tools.deleted", { name }), "", "good", { words: say("did.undo"), act: saveAgain });
  }

  return html`
    <form class="o-save" onSubmit=${save}>
      <input
        class="o-select"
        ref=${name}
        type="text"
        maxlength="80"
        placeholder=${say("tools.preset_name")}
        aria-label=${say("tools.preset_name")}
      />
      <button type="submit" class="o-btn">${say("tools.save")}</button>
    </form>
    <div class="o-preset-list">
      ${presets.value?.length === 0 && html`<p>${say("tools.no_presets")}</p>`}
      ${presets.value?.map(
        (preset) => html`
          <div class="o-preset" key=${preset.id}>
            <button type="button" class="o-row" onClick=${() => take(preset)}>${preset.name}</button>
            <button
              type="button"
              class="o-btn o-quiet"
              aria-pressed=${String(defaults[kind] === preset.id)}
              aria-label=${say("tools.default", { name: preset.name })}
              title=${say("tools.default", { name: preset.name })}
              onClick=${() => mark(preset.id)}
            >
              <${Icon} name="star" size="15" />
            </button>
            <button
              type="button"
              class="o-btn o-quiet"
              aria-label=${say("tools.delete", { name: preset.name })}
              onClick=${() => drop(preset)}
            >
              <${Icon} name="trash" size="15" />
            </button>
          </div>
        `,
      )}
    </div>
  `;
}
