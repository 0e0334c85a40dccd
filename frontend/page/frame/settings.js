// The settings of this browser, as a dialog.

import { say } from "../data/facts.js";
import { settings } from "../data/settings.js";
import { seen } from "../data/store.js";
import { html, render, useLayoutEffect, useRef } from "../vendor/preact.js";
import { theme } from "./theme.js";

const TITLE = "o-settings-title";

export function openSettings() {
  const place = document.createElement("div");
  document.querySelector(".o-shell").append(place);
  const close = () => {
    render(null, place);
    place.remove();
  };
  render(html`<${Settings} close=${close} />`, place);
}

function Settings({ close }) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  const { autoplay, angles } = seen(settings).values;
  return html`
    <dialog ref=${dialog} class="o-keys o-settings" aria-labelledby=${TITLE} onClose=${close}>
      <header>
        <h2 id=${TITLE}>${say("settings.title")}</h2>
        <button type="button" class="o-round" aria-label=${say("error.close")} onClick=${close}>×</button>
      </header>
      <${Choice}
        name="theme"
        options=${["system", "light", "dark"]}
        value=${seen(theme).chosen}
        put=${(name) => theme.choose(name)}
      />
      <${Choice}
        name="autoplay"
        options=${[true, false]}
        value=${autoplay}
        put=${(on) => settings.put({ autoplay: on })}
      />
      <${Choice}
        name="angles"
        options=${["rad", "deg"]}
        value=${angles}
        put=${(unit) => settings.put({ angles: unit })}
      />
      <p class="o-hint">${say("settings.forms")}</p>
      <p class="o-hint">${say("settings.hint")}</p>
    </dialog>
  `;
}

const Choice = ({ name, options, value, put }) => html`
  <fieldset>
    <legend>${say(`settings.${name}`)}</legend>
    ${options.map(
      (option) => html`
        <label>
          <input type="radio" name=${name} checked=${option === value} onChange=${() => put(option)} />
          ${say(`settings.${name}_${option}`)}
        </label>
      `,
    )}
  </fieldset>
`;
