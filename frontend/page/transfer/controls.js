// What a transfer follows: a source clip, and one to five hints of it, each computed from the source or given as its
// own clip.

import { checkpoint } from "../data/checkpoint.js";
import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { defineField } from "../form/field.js";
import { form } from "../form/values.js";
import { MediaInput } from "../media/media_input.js";
import { html, useSignal } from "../vendor/preact.js";
import { ControlPreview } from "./control_preview.js";

const HINTS = ["edge", "blur", "depth", "seg", "wsm"];
const COMPUTED = ["edge", "blur", "depth", "seg"];
const FILTERED = ["edge", "blur"]; // the others come of a model and have no strength
const STRENGTHS = ["very_low", "low", "medium", "high", "very_high"];
const MOST_WEIGHT = 3; // of the slider; the request takes more

/** Why the checkpoint does not follow a hint; empty where it does. */
const refusal = (hint) => seen(checkpoint).refusal("controls.hint", hint);

function Controls({ value: { source_video: source, controls, num_source_frames: kept }, put }) {
  const looked = useSignal(""); // why the hint under the pointer or with the focus is not followed
  const look = ({ target }) => {
    looked.value = target.closest("[data-why]")?.dataset.why ?? "";
  };
  const leave = () => {
    looked.value = "";
  };

  function toggle(hint) {
    const without = controls.filter((control) => control.hint !== hint);
    if (without.length === controls.length && refusal(hint)) return; // what came with a recipe can be let go
    const next = without.length < controls.length ? without : [...controls, { hint, weight: 1 }];
    put({ controls: next.toSorted((a, b) => HINTS.indexOf(a.hint) - HINTS.indexOf(b.hint)) });
  }
  const change = (hint, changes) =>
    put({ controls: controls.map((control) => (control.hint === hint ? { ...control, ...changes } : control)) });

  return html`
    <${MediaInput}
      types=${["video"]}
      title=${say("controls.source")}
      empty=${say("controls.source_empty")}
      id=${source}
      picked=${({ id }) => put({ source_video: id, controls: controls.length ? controls : firstControls() })}
      cleared=${() => put({ source_video: null, num_source_frames: 0 })}
    />
    <span class="o-chip-title"><b>${say("controls.title")}</b><small>${say("controls.help")}</small></span>
    <div
      class="o-chip-group"
      role="group"
      aria-label=${say("controls.title")}
      onFocusIn=${look}
      onPointerOver=${look}
      onFocusOut=${leave}
      onPointerLeave=${leave}
    >
      ${HINTS.map((hint) => {
        const why = refusal(hint);
        const pressed = controls.some((control) => control.hint === hint);
        return html`<button
          type="button"
          class="o-chip"
          data-hint=${hint}
          title=${say(`hint.${hint}_help`)}
          aria-pressed=${String(pressed)}
          aria-disabled=${why && !pressed ? "true" : null}
          aria-describedby=${why ? "o-controls-why" : null}
          data-why=${why || null}
          onClick=${() => toggle(hint)}
        >
          ${say(`hint.${hint}`)}
        </button>`;
      })}
    </div>
    <span class="o-why" id="o-controls-why">${looked.value || missing(controls, source)}</span>
    <div class="o-control-rows">
      ${controls.map(
        (control) => html`<${Control}
          key=${control.hint}
          ...${control}
          source=${source}
          alone=${controls.length === 1}
          change=${(changes) => change(control.hint, changes)}
        />`,
      )}
    </div>
    ${
      source &&
      html`<label class="o-kept-frames o-inline">
        <b>${say("controls.kept")}</b>
        <input
          type="number"
          class="o-select"
          min="0"
          max="397"
          step="1"
          value=${kept}
          aria-label=${say("controls.kept")}
          onChange=${({ target }) => put({ num_source_frames: Math.max(0, Math.round(Number(target.value) || 0)) })}
        />
        <small>${say("controls.kept_help")}</small>
      </label>`
    }
  `;
}

/** One hint: how strongly it is computed, or the clip that gives it; its weight; and what the model will see. */
function Control({ hint, video = null, strength, weight, source, alone, change }) {
  const name = say(`hint.${hint}`);
  const canCompute = COMPUTED.includes(hint);
  const computes = canCompute && !video && Boolean(source);
  const { resolution, aspect_ratio, fps, control_attention: attention } = seen(form).values ?? {};
  const asked = { hint, source_video: source, strength: strength ?? "medium", resolution, aspect_ratio, fps };
  const words = canCompute ? "own_clip" : "clip";
  const take = (id) => change({ video: id, strength: null });
  return html`
    <section class="o-control" data-hint=${hint} aria-label=${name}>
      <h3>${name}</h3>
      ${computes && html`<${ControlPreview} asked=${asked} take=${take} />`}
      ${
        computes &&
        FILTERED.includes(hint) &&
        html`<div class="o-chip-group o-strengths" role="group" aria-label=${say("controls.strength")}>
          ${STRENGTHS.map(
            (each) => html`<button
              type="button"
              class="o-chip"
              aria-pressed=${String(each === asked.strength)}
              onClick=${() => change({ strength: each })}
            >
              ${say(`strength.${each}`)}
            </button>`,
          )}
        </div>`
      }
      ${
        !alone &&
        attention !== "joint" &&
        html`<div class="o-weight">
          <span class="o-line-title"><b>${say("controls.weight")}</b><span class="o-num">${weight.toFixed(2)}</span></span>
          <input
            type="range"
            min="0"
            max=${MOST_WEIGHT}
            step="0.05"
            value=${weight}
            aria-label=${say("controls.weight_of", { hint: name })}
            style=${{ "--range_progress": `${(100 * Math.min(weight, MOST_WEIGHT)) / MOST_WEIGHT}%` }}
            onInput=${({ target }) => change({ weight: Number(target.value) })}
          />
        </div>`
      }
      <${MediaInput}
        types=${["video"]}
        title=${say(`controls.${words}`, { hint: name })}
        empty=${say(`controls.${words}_empty`)}
        id=${video}
        picked=${({ id }) => take(id)}
        cleared=${() => change({ video: null })}
        small=${true}
      />
    </section>
  `;
}

/** What stands in the way: a hint that the checkpoint does not follow, or one that is missing something. */
function missing(controls, source) {
  const refused = controls.find(({ hint }) => refusal(hint));
  if (refused) return refusal(refused.hint);
  if (!controls.length) return source ? say("controls.none") : "";
  const bare = controls.find(({ hint, video }) => !video && (!COMPUTED.includes(hint) || !source));
  if (!bare) return "";
  const hint = say(`hint.${bare.hint}`);
  return say(COMPUTED.includes(bare.hint) ? "controls.needs_source" : "controls.needs_clip", { hint });
}

/** What a clip is followed by before anybody has said: the first hint of those that are computed from it. */
function firstControls() {
  const hint = COMPUTED.find((each) => !refusal(each));
  return hint ? [{ hint, weight: 1 }] : [];
}

defineField("o-controls", Controls, { source_video: null, controls: [], num_source_frames: 0 });
