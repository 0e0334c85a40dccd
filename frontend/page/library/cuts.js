// Trimming a video to some of its frames, and joining videos: each is a new item.

import { say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { askJson } from "../parts/server.js";
import { html, useSignal } from "../vendor/preact.js";
import { library } from "./store.js";

/** Parts of videos, one after the other, as a new item; whether it was made. */
export async function cut(parts, title) {
  const made = await askJson("POST", "/v1/library/cuts", { parts, title });
  if (!made) return false;
  library.search();
  const href = `/library?item=${encodeURIComponent(made.id)}`;
  toast(say("cut.made", { frames: made.num_frames }), "", "good", { words: say("did.show"), href });
  return true;
}

/** Which frames of a video to keep, and with its source, where it continues one, the whole of both. */
export function Cuts({ item, request }) {
  const last = item.num_frames - 1;
  const from = useSignal(0);
  const to = useSignal(last);
  const busy = useSignal(false);
  const run = async (parts) => {
    busy.value = true;
    await cut(parts, item.title);
    busy.value = false;
  };
  const field = (name, value, least, most) => html`
    <label class="o-inline">
      <span>${say(`cut.${name}`)}</span>
      <input
        type="number"
        class="o-select"
        min=${least + 1}
        max=${most + 1}
        value=${value.value + 1}
        onChange=${({ target }) => {
          value.value = Math.min(Math.max(Math.round(Number(target.value)) - 1 || 0, least), most);
        }}
      />
      <button
        type="button"
        class="o-btn"
        onClick=${() => {
          value.value = Math.min(Math.max(shownFrame(), least), most);
        }}
      >
        ${say("cut.here")}
      </button>
    </label>
  `;
  const continues = request?.source_video && request.condition_end === "last";
  return html`
    <details class="o-cuts">
      <summary>${say("cut.title")}</summary>
      <div class="o-cuts-fields">
        ${field("from", from, 0, to.value)} ${field("to", to, from.value, last)}
      </div>
      <div class="o-acts">
        <button
          type="button"
          class="o-btn"
          data-do="trim"
          disabled=${busy.value || (from.value === 0 && to.value === last)}
          onClick=${() => run([{ media: item.id, first: from.value, last: to.value }])}
        >
          ${say("cut.trim", { frames: to.value - from.value + 1 })}
        </button>
        ${
          continues &&
          html`<button
            type="button"
            class="o-btn"
            data-do="join"
            title=${say("cut.join_source_help")}
            disabled=${busy.value}
            onClick=${() => run([{ media: request.source_video }, { media: item.id, first: keptFrames(request) }])}
          >
            ${say("cut.join_source")}
          </button>`
        }
      </div>
    </details>
  `;
}

const shownFrame = () => Number(document.querySelector("o-library-peek .o-player")?.getAttribute("data-frame") ?? 0);

// The frames of its source that it begins with: one, and four for each further latent frame.
const keptFrames = ({ condition_frames: kept }) => 1 + 4 * Math.max(...kept);
