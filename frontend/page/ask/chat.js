// The conversation: its turns, questions worth trying, the tasks, and the field for the next question.

import { asking } from "./asking.js";
import { AskSampling } from "./sampling.js";
import { chats } from "./store.js";
import { subject } from "./subject.js";
import { Tasks } from "./tasks.js";
import { Turn } from "./turn.js";
import { checkpoint as known } from "../data/checkpoint.js";
import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { IconButton } from "../parts/icons.js";
import { ReasonerAdapter } from "../parts/reasoner_adapter.js";
import { live } from "../data/live.js";
import { storedSample } from "../media/samples.js";
import { PromptHistory } from "../parts/prompt_history.js";
import { seen } from "../data/store.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";

const NEAR_END_PX = 80;

export function Chat() {
  const [pane, field] = [useRef(null), useRef(null)];
  const question = useSignal("");
  const { id, turns, marked } = seen(subject);
  const { busy, thinks } = seen(asking);
  const { checkpoint } = seen(live).state.system;
  seen(chats);
  const [tone, notice] = checkpoint ? noticeOf(checkpoint, seen(known).details) : [];
  const end = pane.current;
  const isAtEnd = !end || end.scrollHeight - end.scrollTop - end.clientHeight < NEAR_END_PX;
  useLayoutEffect(() => {
    if (isAtEnd) pane.current.scrollTop = pane.current.scrollHeight;
  });

  useEffect(() => asking.resume(id), [id, busy]);

  const write = ({ target }) => {
    question.value = target.value;
  };
  const take = (words) => {
    question.value = words;
    field.current.focus();
  };
  function send() {
    const words = question.value.trim();
    if (!words || asking.busy) return;
    question.value = "";
    pane.current.scrollTop = pane.current.scrollHeight;
    asking.words(words);
  }
  function press(event) {
    // Enter sends, with Shift it begins a line; the page's own keys take Enter with Ctrl.
    if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    send();
  }
  const button = (name, icon, act, more = {}) =>
    html`<${IconButton} icon=${icon} words=${say(`ask.${name}`)} data-do=${name} onClick=${act} ...${more} />`;
  return html`
    <o-ask-chat data-busy=${busy ? "true" : null}>
      ${notice && html`<p class="o-ask-notice" role="status" data-tone=${tone}>${notice}</p>`}
      <div ref=${pane} class="o-turns-scroll" tabindex="0" role="region" aria-label=${say("ask.conversation")}>
        ${
          turns.length === 0 &&
          html`<div class="o-empty">
            <b>${say("ask.empty")}</b>
            <p>${say("ask.empty_hint")}</p>
            <${Examples} asked=${() => field.current.focus()} />
          </div>`
        }
        <ol class="o-turns" aria-label=${say("ask.conversation")} aria-live="polite" aria-relevant="additions">
          ${turns.map(
            (turn) =>
              html`<${Turn} key=${turn} turn=${turn} marked=${turn === marked} last=${turn === turns.at(-1)} />`,
          )}
        </ol>
      </div>
      <${Tasks} />
      <div class="o-composer">
        <textarea
          ref=${field}
          class="o-select o-ask-field"
          rows="2"
          data-hot="words"
          aria-label=${say("ask.question")}
          placeholder=${say("ask.question_hint")}
          value=${question.value}
          onInput=${write}
          onKeyDown=${press}
        />
        <div class="o-acts">
          <button
            type="button"
            class="o-btn"
            aria-pressed=${String(thinks)}
            title=${say("ask.think_help")}
            onClick=${() => asking.think(!thinks)}
          >
            ${say("ask.think")}
          </button>
          <${PromptHistory} earlier=${async () => chats.questions} take=${take} none=${say("ask.no_history")} up />
          <${AskSampling} />
          <${ReasonerAdapter} />
          ${turns.length > 0 && !busy && button("delete", "trash", forget, { quiet: true, "data-do": "forget" })}
          <span class="o-grow" />
          ${
            busy
              ? button("stop", "close", () => asking.stop(), { key: "stop", class: "o-bad", "data-hot": "cancel" })
              : button("send", "send", send, {
                  key: "send",
                  class: "o-primary",
                  "data-hot": "submit",
                  disabled: !question.value.trim(),
                })
          }
        </div>
      </div>
    </o-ask-chat>
  `;
}

/**
 * Questions for this checkpoint; without a picture or a clip, the one that each was thought up for is shown. They go
 * with the first turn, and `asked` is told of that.
 */
function Examples({ asked }) {
  const { item, loading } = seen(subject);
  const { busy } = seen(asking);
  const examples = seen(known).details?.examples?.reason ?? [];
  const fit = examples.filter(({ values }) => !item || item.type === values.sample);
  if (!fit.length) return null;
  async function begin({ prompt, sample, sample_name: name }) {
    if (loading) return;
    const shown = item || !sample ? null : await storedSample(sample, name, toast);
    if (!subject.item && sample) {
      if (!shown) return;
      subject.set(shown); // unless one was chosen while this one was on its way
    }
    asking.words(prompt);
    asked();
  }
  return html`
    <o-ask-examples role="group" aria-label=${say("form.examples")} class="o-chip-group">
      ${fit.map(
        ({ title, values }) => html`
          <button
            key=${title}
            type="button"
            class="o-chip"
            title=${values.prompt}
            disabled=${busy}
            onClick=${() => begin(values)}
          >
            ${title}
          </button>
        `,
      )}
    </o-ask-examples>
  `;
}

function forget() {
  chats.delete(subject.id);
  const more = chats.size && { words: say("ask.delete_all", { count: chats.size }), act: () => chats.deleteAll() };
  toast(say("ask.deleted"), "", "good", more || null);
}

function noticeOf({ id, state, title, random_weights: random }, details) {
  if (state !== "ready") return ["warn", say("ask.not_ready", { title })];
  if (random) return ["warn", say("ask.random", { title })];
  return details?.id === id && details.simulated ? ["quiet", details.summary] : [];
}
