// What a request starts from: a clip from nothing, a picture, or another clip and how much of it stays; others from the
// one picture or clip that they cannot do without.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { MediaInput } from "../media/media_input.js";
import { useAttributes } from "../parts/element.js";
import { html } from "../vendor/preact.js";
import { defineField } from "./field.js";
import { form } from "./values.js";

const NONE = { start_image: null, source_video: null, condition_frames: [0, 1], condition_end: "first" };
const STRIDE = 4; // frames to a latent frame, after the first

/** Frames in the first latent frames: two are five. */
const framesOf = (latents) => 1 + STRIDE * (latents - 1);

function Start({ value: { start_image: image, source_video: clip, ...kept }, put, element }) {
  useAttributes(element, { "data-mode": image ? "image" : clip ? "clip" : "text" });
  return html`
    <${MediaInput}
      types=${["image", "video"]}
      title=${say("start.title")}
      empty=${say("start.empty")}
      id=${image ?? clip ?? null}
      picked=${({ id, type }) => put({ ...NONE, [type === "image" ? "start_image" : "source_video"]: id })}
      cleared=${() => put(NONE)}
    />
    ${clip && html`<${KeptFrames} ...${kept} put=${put} />`}
  `;
}

/** How many frames of the clip stay, and at which end. */
function KeptFrames({ condition_frames: { length }, condition_end: end, put }) {
  const asked = seen(form).get("num_frames") ?? 17;
  const most = Math.max((asked - 1) / STRIDE, 1);
  return html`
    <div class="o-kept">
      <span class="o-line-title">
        <b>${say("start.kept")}</b>
        <span class="o-num">${say("start.of", { kept: framesOf(length), frames: asked })}</span>
      </span>
      <input
        type="range"
        min="1"
        max=${most}
        value=${length}
        aria-label=${say("start.kept")}
        style=${{ "--range_progress": `${(100 * (length - 1)) / Math.max(most - 1, 1)}%` }}
        onInput=${({ target }) => put({ condition_frames: [...Array(Number(target.value)).keys()] })}
      />
      <div class="o-chip-group" role="group" aria-label=${say("start.end")}>
        ${["first", "last"].map(
          (name) => html`
            <button
              type="button"
              class="o-chip"
              aria-pressed=${String(name === end)}
              onClick=${() => put({ condition_end: name })}
            >
              ${say(`start.${name}`)}
            </button>
          `,
        )}
      </div>
    </div>
  `;
}

const needed =
  (type, path) =>
  ({ value, put }) =>
    html`
  <${MediaInput}
    types=${[type]}
    title=${say(`needed.${type}`)}
    empty=${say(`needed.${type}_empty`)}
    id=${value[path] ?? null}
    picked=${({ id }) => put({ [path]: id })}
    cleared=${() => put({ [path]: null })}
  />
`;

defineField("o-start", Start, NONE);
defineField("o-picture", needed("image", "start_image"), {});
defineField("o-clip", needed("video", "source_video"), {});
