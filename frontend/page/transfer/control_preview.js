// A control as the model will see it: one frame that follows the form, and on request the whole clip.

import { say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { remember } from "../media/media_facts.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";

const SETTLE_MS = 250; // after the last change, before a frame is computed

/** `asked` is what a control is computed from, as the API names it; `take(id)` gets the whole clip to use it. */
export function ControlPreview({ asked, take }) {
  const at = useSignal(0.5);
  const url = useSignal(null);
  const ready = useSignal(false);
  const broken = useSignal(false);
  const status = useSignal("");
  const made = useSignal(null); // the whole clip
  const computing = useSignal(null); // the AbortController of its request
  const clip = useRef(null);
  const { hint, fps, ...options } = asked;
  const words = say(`hint.${hint}`);

  useEffect(() => {
    const { source_video: source, ...query } = options;
    const params = new URLSearchParams({ hint, ...query, at: String(at.value) });
    const draw = () => {
      url.value = `/v1/media/${source}/control?${params}`;
    };
    const timer = setTimeout(draw, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(options), at.value]);

  const stop = () => {
    computing.value?.abort();
    computing.value = made.value = null;
  };
  useEffect(() => stop, [JSON.stringify(asked)]);
  useEffect(() => {
    clip.current?.play().catch(() => {});
  }, [made.value]);

  // The whole of it takes seconds to minutes; a second press stops it.
  async function compute() {
    if (computing.value) return stop();
    stop();
    const request = new AbortController();
    computing.value = request;
    status.value = say("controls.computing");
    try {
      const reply = await fetch("/v1/controls", {
        method: "POST",
        body: JSON.stringify(asked),
        headers: { "content-type": "application/json" },
        signal: request.signal,
      });
      const answer = await reply.json();
      status.value = reply.ok ? "" : faultWords(answer.error);
      if (reply.ok) made.value = remember(answer);
    } catch {
      status.value = "";
    }
    if (computing.value === request) computing.value = null;
  }
  const loaded = () => {
    ready.value = true;
    broken.value = false;
    status.value = "";
  };
  // An image says no more than that it failed; the server says why, as where a model was not downloaded.
  const failed = async () => {
    broken.value = true;
    status.value = say("controls.no_preview");
    const drawn = url.value;
    const reply = await fetch(drawn).catch(() => null);
    if (reply && !reply.ok && url.value === drawn) status.value = faultWords((await reply.json()).error);
  };

  return html`
    <div class="o-control-preview" data-ready=${ready.value ? "true" : null}>
      <div class="o-control-frame">
        ${
          url.value &&
          html`<img
            alt=${say("controls.preview", { hint: words })}
            src=${url.value}
            hidden=${broken.value || Boolean(made.value)}
            onLoad=${loaded}
            onError=${failed}
          />`
        }
        ${
          made.value &&
          html`<video
            ref=${clip}
            src=${made.value.url}
            controls
            loop
            muted
            playsinline
            aria-label=${say("controls.whole", { hint: words })}
          />`
        }
      </div>
      ${
        !made.value &&
        html`<input
          type="range"
          min="0"
          max="1"
          step="0.05"
          value=${at.value}
          aria-label=${say("controls.at")}
          onInput=${({ target }) => {
            at.value = Number(target.value);
          }}
        />`
      }
      <div class="o-control-buttons">
        <button type="button" class="o-btn" onClick=${compute}>
          ${say(computing.value ? "controls.stop" : "controls.watch")}
        </button>
        ${
          made.value &&
          html`<button type="button" class="o-btn" onClick=${() => take(made.value.id)}>
            ${say("controls.use_clip")}
          </button>`
        }
      </div>
      <span class="o-media-status" role="status">${status.value}</span>
    </div>
  `;
}
