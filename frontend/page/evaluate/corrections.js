// Corrections on the server: taking one back, and where what came of them is downloaded.

import { say } from "../data/facts.js";
import { Popover } from "../parts/popover.js";
import { ask, useAnswer } from "../parts/server.js";
import { html } from "../vendor/preact.js";
import { evaluation } from "./store.js";

export const TIMED = ["events", "intervals"];

/** Whether it is gone now. */
export async function removeCorrection(run, { item, by }) {
  const query = new URLSearchParams({ item, by });
  return Boolean(await ask("DELETE", `/v1/runs/${run.id}/corrections?${query}`));
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
