// Corrections on the server: taking one back, and where what came of them is downloaded.

import { say } from "../data/facts.js";
import { voter } from "../data/voter.js";
import { Popover } from "../parts/popover.js";
import { ask, askJson, useAnswer } from "../parts/server.js";
import { html, useSignal } from "../vendor/preact.js";
import { evaluation } from "./store.js";

export const TIMED = ["events", "intervals"];

/** Whether it is gone now. */
async function removed(run, { item, by }) {
  const query = new URLSearchParams({ item, by });
  return Boolean(await ask("DELETE", `/v1/runs/${run.id}/corrections?${query}`));
}

/**
 * Below what a person changes of an item: saving it, taking the last step back, and removing one's own correction.
 * `reference` gives what is saved, `draft` is the signal of what was changed and `way` its undo; `children` stand between.
 */
export function CorrectionActs({ run, item, correction, draft, isNew, way, reference, children }) {
  const busy = useSignal(false);
  const during = (act) => async () => {
    busy.value = true;
    await act();
    busy.value = false;
  };
  const save = during(() =>
    askJson("PUT", `/v1/runs/${run.id}/corrections`, { item: item.id, reference: reference(), by: voter() }),
  );
  const forget = during(async () => {
    if (await removed(run, correction)) draft.value = null;
  });
  return html`
    <div class="o-acts">
      <button type="button" class="o-btn o-primary" data-do="correct" disabled=${busy.value || !isNew} onClick=${save}>
        ${say("evaluate.correct")}
      </button>
      ${way.button} ${children}
      ${
        correction?.by === voter() &&
        html`<button type="button" class="o-btn" data-do="forget" disabled=${busy.value} onClick=${forget}>
          ${say("evaluate.forget")}
        </button>`
      }
    </div>
  `;
}

/** The boundaries of a run for other programs. */
export function Boundaries({ run }) {
  const kept = useAnswer(`/v1/runs/${run.id}/corrections`, `${run.id} ${evaluation.fetched}`);
  const items = new Set(kept?.corrections.map(({ item }) => item));
  const layouts = run.form === "events" ? ["mimicgen", "lerobot", "messages"] : ["mimicgen", "lerobot"];
  return html`
    <${Popover} face=${say("evaluate.boundaries")} label=${say("evaluate.boundaries")} data-do="boundaries">
      ${(close) => html`
        ${["corrected", "answered"].map(
          (times) => html`
            <div class="o-row-head">
              ${say(`evaluate.times_${times}`)}${times === "corrected" && ` (${items.size})`}
            </div>
            ${layouts
              .filter(() => times === "answered" || items.size)
              .map(
                (layout) => html`
                  <a
                    class="o-row"
                    data-layout=${`${layout}-${times}`}
                    href=${`/v1/runs/${run.id}/boundaries/${layout}?times=${times}`}
                    download
                    onClick=${close}
                  >
                    ${say(`evaluate.layout_${layout}`)}
                  </a>
                `,
              )}
          `,
        )}
      `}
    <//>
  `;
}
