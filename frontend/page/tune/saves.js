// The saves of a tuning: each can be used at once, compared with what was before, and kept under a name of its own.

import { say } from "../data/facts.js";
import { bytes } from "../data/recipe.js";
import { toast } from "../parts/errors.js";
import { html, useSignal } from "../vendor/preact.js";
import { tuning as store } from "./store.js";

export function Saves({ tuning }) {
  return html`
    <section class="o-card-plain o-listed o-tune-saves" aria-label=${say("tune.saves")}>
      <header><h2>${say("tune.saves")}</h2></header>
      <ol role="list">
        ${[...tuning.saves].reverse().map((save) => html`<${Save} key=${save.step} tuning=${tuning} save=${save} />`)}
      </ol>
    </section>
  `;
}

function Save({ tuning, save }) {
  const { step, name, makes, size_bytes: size, loss, comparison, runs, success, drift, note, kept_as: kept } = save;
  const naming = useSignal(null); // the name that is being written
  const busy = useSignal(false);
  const says = [
    say("tune.step", { step }),
    say(`tune.makes_${makes}`),
    bytes(size),
    loss !== null && say("tune.loss_now", { loss: loss.toFixed(4) }),
    success && say("tune.success_of", percentsOf(success)),
    kept.length > 0 && say("tune.kept_as", { names: kept.join(", ") }),
  ];
  const copy = async () => {
    await navigator.clipboard.writeText(name);
    toast(say("tune.copied", { name }), say(`tune.copied_${makes}`));
  };
  const keep = async (event) => {
    event.preventDefault();
    const wanted = naming.value.trim();
    busy.value = true;
    const found = await store.act(tuning.id, `saves/${step}/keep`, { name: wanted });
    busy.value = false;
    if (!found) return;
    naming.value = null;
    toast(say("tune.served", { name: wanted }), say(`tune.served_${makes}`));
  };
  const evaluate = async () => {
    busy.value = true;
    await store.act(tuning.id, `saves/${step}/evaluate`);
    busy.value = false;
  };
  const place = placeOf(tuning, save);
  return html`
    <li data-save=${step}>
      <div>
        <b>${name}</b>
        <small>${says.filter(Boolean).join(" · ")}</small>
        ${
          drift &&
          html`<small data-do="drift" title=${say("tune.drift_hint")}>
            ${say("tune.drift", { psnr: drift.psnr_db.toFixed(1) })}${" "}
            <a href=${`/v1/media/${drift.before}`} target="_blank" rel="noopener">${say("tune.drift_before")}</a>${" · "}
            <a href=${`/v1/media/${drift.after}`} target="_blank" rel="noopener">${say("tune.drift_after")}</a>
          </small>`
        }
        ${note && html`<small>${note}</small>`}
      </div>
      <div class="o-acts">
        ${comparison && html`<a class="o-btn" href=${`/compare?id=${comparison}`} data-do="compare">${say("tune.compare")}</a>`}
        ${runs.length > 0 && html`<a class="o-btn" href=${`/evaluate?run=${runs.join(",")}`} data-do="runs">${say("tune.scores")}</a>`}
        ${
          !comparison &&
          runs.length === 0 &&
          (tuning.recipe.task !== "policy" || tuning.recipe.scenes > 0) &&
          html`<button type="button" class="o-btn" disabled=${busy.value} data-do="evaluate" onClick=${evaluate}>
            ${say(`tune.evaluate_${tuning.recipe.task}`)}
          </button>`
        }
        ${place && html`<a class="o-btn" href=${place} data-do="use">${say("tune.use")}</a>`}
        <button type="button" class="o-btn" data-do="copy" onClick=${copy}>${say("tune.copy")}</button>
        ${
          naming.value === null
            ? html`<button
                type="button"
                class="o-btn"
                data-do="serve"
                onClick=${() => {
                  naming.value = `${tuning.recipe.name}-${step}`;
                }}
              >
                ${say("tune.serve")}
              </button>`
            : html`
                <form class="o-acts" onSubmit=${keep}>
                  <input
                    class="o-select"
                    name="kept"
                    required
                    pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*"
                    maxlength="64"
                    aria-label=${say("tune.serve_as")}
                    value=${naming.value}
                    onInput=${({ currentTarget }) => {
                      naming.value = currentTarget.value;
                    }}
                  />
                  <button type="submit" class="o-btn o-primary" disabled=${busy.value}>${say("tune.keep")}</button>
                </form>
              `
        }
      </div>
    </li>
  `;
}

const percent = (rate) => `${Math.round(100 * rate)} %`;

const percentsOf = ({ value, low, high, num_episodes: count }) => ({
  rate: percent(value),
  low: percent(low),
  high: percent(high),
  count,
});

/** Where a save is used. */
function placeOf({ recipe }, { makes, name }) {
  if (makes === "checkpoint") return "/checkpoints";
  const adapter = encodeURIComponent(name);
  if (recipe.task === "reasoner") return `/ask?reasoner_adapter=${adapter}`;
  return recipe.task === "generator" ? `/video?adapter=${adapter}` : "";
}
