// The prompt written out by the reasoner: beside the person's words, with what was kept of them, taken or left, and
// undone.

import { kind, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { takes } from "../data/kinds.js";
import { seen } from "../data/store.js";
import { Icon } from "../parts/icons.js";
import { ReasonerAdapter, worn } from "../parts/reasoner_adapter.js";
import { fill } from "../parts/reuse.js";
import { eventsOf } from "../parts/server.js";
import { effect, html, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";
import { form } from "./values.js";

const TAIL = 240; // letters that are shown of what is being written

const wordsIn = (text) => text.split(/\s+/).filter(Boolean).length;

// Size and length stand in the caption.
const SENTENCES = { use_resolution_template: false, use_duration_template: false };

// Plain words that a person types over a caption get their sentences back; what fills the form says them itself.
let wasCaption = false;
effect(() => {
  const prompt = seen(form).values?.prompt;
  const typing = document.activeElement?.matches("textarea");
  const isCaption = Boolean(prompt?.trimStart().startsWith("{"));
  if (wasCaption && typing && prompt && !isCaption) fill({ prompt });
  wasCaption = isCaption;
});

/**
 * A button, what stands beside it (`children`), an undo, and what was written below them; `refused` says why no caption
 * belongs to what this page makes, and is empty where one does.
 */
export function Upsampling({ refused, children }) {
  const panel = useSignal(null); // { status } or what Written shows; null while it is closed
  const asking = useSignal(null); // the AbortController of the request that is under way
  const before = useSignal(null); // what the form said before a caption was taken
  const button = useRef(null);
  const undo = useRef(null);
  const tell = (status) => {
    panel.value = { status };
  };
  const close = () => {
    panel.value = null;
  };

  async function start() {
    if (asking.value) return asking.value.abort();
    if (refused) return panel.value ? close() : tell(say("upsample.refused", { why: refused }));
    if (!form.values?.prompt?.trim()) return tell(say("upsample.nothing"));
    if (takes(kind)["controls.video"] && !form.get("controls")?.length) return tell(say("upsample.follows_nothing"));
    const { prompt } = form.values;
    asking.value = new AbortController();
    tell(say("upsample.writing"));
    try {
      const wears = worn.name ? `&adapter=${encodeURIComponent(worn.name)}` : "";
      const reply = await fetch(`/v1/upsample?stream=true${wears}`, {
        method: "POST",
        body: JSON.stringify(form.request()),
        headers: { "content-type": "application/json" },
        signal: asking.value.signal,
      });
      let { answer, error } = reply.ok ? { answer: null, error: null } : await reply.json();
      let text = "";
      if (reply.ok)
        for await (const said of eventsOf(reply)) {
          text += said.text ?? "";
          ({ answer = answer, error = error } = said);
          panel.value = { status: say("upsample.written_so_far", { words: wordsIn(text) }), text };
        }
      if (answer) panel.value = { written: answer, caption: answer.caption, diff: answer.diff, prompt };
      else tell(faultWords(error));
    } catch (error) {
      if (error.name === "AbortError") close();
      else tell(say("error.unreachable"));
    }
    asking.value = null;
  }
  function take(written) {
    const { prompt, negative_prompt: negative } = written;
    // A negative prompt that a person has written stays.
    const own = negative && !form.values.negative_prompt ? { negative_prompt: negative } : {};
    const names = ["prompt", ...Object.keys({ ...SENTENCES, ...own })];
    before.value = Object.fromEntries(
      names.filter((name) => name in form.values).map((name) => [name, form.values[name]]),
    );
    fill({ prompt, ...SENTENCES, ...own });
    close();
  }
  function takeBack() {
    fill(before.value);
    before.value = null;
    button.current.focus();
  }
  useLayoutEffect(() => undo.current?.focus(), [before.value]);

  return html`
    <button
      ref=${button}
      type="button"
      class="o-btn"
      data-do="upsample"
      aria-disabled=${refused ? "true" : null}
      title=${refused ? say("upsample.refused", { why: refused }) : null}
      onClick=${start}
    >
      <${Icon} name="wand" size="15" /><span>${say(asking.value ? "upsample.stop" : "upsample.start")}</span>
    </button>
    ${!refused && html`<${ReasonerAdapter} />`}
    ${children}
    ${
      before.value &&
      html`<button ref=${undo} type="button" class="o-btn" data-do="undo-upsample" onClick=${takeBack}>
        <${Icon} name="restore" size="15" />${say("upsample.undo")}
      </button>`
    }
    ${
      panel.value &&
      html`<div class="o-upsampled" role="region" aria-label=${say("upsample.title")}>
        ${
          panel.value.caption
            ? html`<${Written}
                ...${panel.value}
                use=${take}
                keep=${() => {
                  close();
                  button.current.focus();
                }}
              />`
            : html`
                <p role="status">${panel.value.status}</p>
                ${panel.value.text && html`<p class="o-written" aria-hidden="true">${panel.value.text.slice(-TAIL)}</p>`}
              `
        }
      </div>`
    }
  `;
}

/** A person's words beside the caption that was written from them: kept, lost, added. */
function Written({ prompt, written, caption, diff: { words, lost, share_kept: share }, use, keep }) {
  const taking = useRef(null);
  useLayoutEffect(() => taking.current.focus(), []);
  return html`
    <p role="status">${say("upsample.kept", { share: Math.round(100 * share), lost: lost.length })}</p>
    <div class="o-diff">
      <h3>${say("upsample.yours")}</h3>
      <p class="o-diff-words">${wordsOf(prompt, words)}</p>
      <h3>${say("upsample.written")}</h3>
      <div class="o-diff-caption" tabindex="0" role="group" aria-label=${say("upsample.written")}>
        ${sectionsOf(caption, words)}
      </div>
      <div class="o-diff-buttons">
        <button ref=${taking} type="button" class="o-btn o-strong" onClick=${() => use(written)}>
          ${say("upsample.use")}
        </button>
        <button type="button" class="o-btn" onClick=${keep}>${say("upsample.keep")}</button>
      </div>
    </div>
  `;
}

/** The prompt in pieces: words that were kept, words that were lost, and what lies between. */
function wordsOf(prompt, words) {
  const pieces = [];
  let end = 0;
  for (const word of words) {
    pieces.push(prompt.slice(end, word.start));
    if (word.small) pieces.push(word.text);
    else pieces.push(word.places.length ? html`<mark>${word.text}</mark>` : html`<del>${word.text}</del>`);
    end = word.end;
  }
  return [...pieces, prompt.slice(end)];
}

/** The caption as titled lines, the person's words marked in it. */
function sectionsOf(caption, words) {
  const places = Map.groupBy(
    words.flatMap((word) => word.places),
    ({ path }) => path,
  );
  return [...texts(caption, "")].map(
    ([path, text]) => html`
      <p>
        <b>${path.replaceAll("_", " ").replaceAll(".", " · ")}</b>${" "}${marked(text, places.get(path) ?? [])}
      </p>
    `,
  );
}

function* texts(value, path) {
  if (typeof value === "string") yield [path, value];
  else if (value && typeof value === "object") {
    for (const [name, child] of Object.entries(value)) yield* texts(child, path ? `${path}.${name}` : name);
  }
}

// Places count characters as Python does, by code point.
function marked(text, places) {
  const letters = [...text];
  const pieces = [];
  let end = 0;
  for (const place of places.toSorted((a, b) => a.start - b.start)) {
    if (place.start < end) continue;
    pieces.push(
      letters.slice(end, place.start).join(""),
      html`<mark>${letters.slice(place.start, place.end).join("")}</mark>`,
    );
    end = place.end;
  }
  return [...pieces, letters.slice(end).join("")];
}
