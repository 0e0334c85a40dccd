// Several plans from the form's start image, beside the stage.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { form } from "../form/values.js";
import { FanForm } from "../imagining/fan_form.js";
import { FanView } from "../imagining/fan_view.js";
import { useImagined } from "../imagining/following.js";
import { define } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { imaginedStart, isSimulated } from "./imagined.js";

function Fan() {
  seen(form);
  const { found, running, begin, cancel } = useImagined("/v1/fans", "orrery.fan");
  const image = form.get("start_image");
  const start = (fields) =>
    begin({
      ...imaginedStart(),
      ...fields,
      start_image: image,
      state: form.get("state") ?? null,
      cameras: isSimulated() ? "simulated" : null,
    });
  return html`
    <section class="o-imagine" aria-label=${say("fan.title")}>
      <span class="o-line-title"><b>${say("fan.title")}</b><small>${say("fan.help")}</small></span>
      <${FanForm} ...${{ running, begin: start, cancel }} disabled=${!image || !form.get("prompt")} />
      ${found && html`<${FanView} fan=${found} />`}
    </section>
  `;
}

define("o-fan", Fan);
