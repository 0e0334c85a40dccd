// What would make a folder of bare videos trainable: captions of the reasoner, the files' names, or only a place to list them.

import { say } from "../data/facts.js";
import { ProgressBar } from "../parts/progress_bar.js";
import { ReasonerAdapter, worn } from "../parts/reasoner_adapter.js";
import { html, useSignal } from "../vendor/preact.js";
import { tuning } from "./store.js";

/** `pick` is told the data set that got the captions. */
export function Captions({ data, pick }) {
  const busy = useSignal(false);
  const { name, layout, place, num_clips: clips, num_uncaptioned: bare, captioning } = data;
  if (layout !== "clips" || (!bare && place === "uploaded")) return null;
  const start = (by) => async () => {
    busy.value = true;
    const adapter = by === "reasoner" && worn.name ? { adapter: worn.name } : {};
    const found = await tuning.caption(name, { by, ...adapter });
    busy.value = false;
    if (found) pick(found.name);
  };
  const button = (by, words, more = {}) => html`
    <button type="button" class="o-btn" data-do=${`captions-${by}`} disabled=${busy.value} onClick=${start(by)} ...${more}>
      ${say(words)}
    </button>
  `;
  if (captioning?.is_open) {
    const { done, total } = captioning;
    return html`
      <div class="o-tune-captions" role="group" aria-label=${say("tune.captions")}>
        <small role="status">${say("tune.captions_written", { done, total })}</small>
        <${ProgressBar} percent=${Math.round((100 * done) / total)} aria-label=${say("tune.captions")} />
        <button type="button" class="o-btn" data-do="captions-stop" onClick=${() => tuning.stopCaptions(name)}>
          ${say("tune.captions_stop")}
        </button>
      </div>
    `;
  }
  return html`
    <div class="o-tune-captions" role="group" aria-label=${say("tune.captions")}>
      <small>${bare ? say("tune.captions_missing", { bare, all: clips }) : say("tune.captions_listed_nowhere")}</small>
      ${captioning?.reason && html`<small data-tone="bad">${captioning.reason}</small>`}
      <div class="o-acts">
        ${
          bare
            ? html`
                ${button("reasoner", "tune.captions_reasoner")}
                ${button("names", "tune.captions_names", { title: say("tune.captions_names_hint") })}
                <${ReasonerAdapter} />
              `
            : button("names", "tune.captions_lay_out")
        }
      </div>
    </div>
  `;
}
