// How many tokens a video takes of a conversation with a checkpoint, and what is left for the words: asked of the server,
// which reads how the checkpoint looks at videos.

import { say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const WAIT_MS = 250; // while a number is typed
const WORDS = 1024; // tokens that the server keeps free unless told otherwise
const CLIP = { width: 512, height: 512, duration_s: 7 };

/** `look` says frames, pixels and the longest conversation; what is unsaid is the checkpoint's own. */
export function VisionBudget({ checkpoint, look }) {
  const clip = useSignal(CLIP);
  const found = useSignal(null); // { budget } or { refused }
  const isOpen = useSignal(false);
  const asked = { ...clip.value, ...look };
  const said = Object.entries(asked).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const path = `/v1/checkpoints/${encodeURIComponent(checkpoint)}/vision-budget?${new URLSearchParams(said)}`;
  useEffect(() => {
    if (!isOpen.value || !checkpoint) return;
    let isLate = false;
    const due = setTimeout(async () => {
      const reply = await fetch(path).catch(() => null);
      const answer = await reply?.json().catch(() => null);
      if (isLate || !answer) return;
      found.value = reply.ok ? { budget: answer } : { refused: faultWords(answer.error) };
    }, WAIT_MS);
    return () => {
      isLate = true;
      clearTimeout(due);
    };
  }, [path, isOpen.value]);
  const number = (name, step) => html`
    <label>
      <span>${say(`budget.${name}`)}</span>
      <input
        class="o-select o-num"
        type="number"
        name=${`budget.${name}`}
        min=${step}
        step=${step}
        value=${clip.value[name]}
        onInput=${({ currentTarget: { value } }) => {
          clip.value = { ...clip.value, [name]: value };
        }}
      />
    </label>
  `;
  return html`
    <details
      class="o-vision-budget"
      onToggle=${({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary title=${say("budget.help")}>${say("budget.title")}</summary>
      <div class="o-fields" data-columns="3">${number("width", 1)}${number("height", 1)}${number("duration_s", 0.1)}</div>
      <p role="status">${found.value && (found.value.refused ?? html`<${Budget} ...${found.value.budget} words=${look.answer_tokens ?? WORDS} />`)}</p>
    </details>
  `;
}

function Budget(budget) {
  const { num_frames, width, height, num_tokens, max_tokens, num_left, largest_side, words } = budget;
  const numbers = { frames: num_frames, width, height, tokens: whole(num_tokens), most: whole(max_tokens) };
  return html`
    <span>${say("budget.takes", numbers)}</span>${" "}
    <span data-tone=${num_left < 0 ? "bad" : null}>
      ${num_left < 0 ? say("budget.too_many", { over: whole(-num_left), ...numbers }) : say("budget.left", { left: whole(num_left), ...numbers })}
    </span>${" "}
    <span>${largest_side ? say("budget.largest", { side: largest_side, words: whole(words) }) : say("budget.none_fits", { words: whole(words) })}</span>
  `;
}

const whole = (number) => number.toLocaleString("en");
