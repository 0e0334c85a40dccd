// A message in the corner, for what belongs to no field.

import { say } from "../data/facts.js";
import { html, render, signal, useEffect, useSignal } from "../vendor/preact.js";

const STAY_MS = { good: 4000, bad: 12000 };
const STAY_TO_ACT_MS = 12000;

const toasts = signal([]);
let count = 0;

/**
 * A message in the corner; it goes by itself, but not under the pointer or with the focus, or with its button. The same
 * message stands there once. `action` is what may be done about it: `{ words }` and `act` or `href`.
 */
export function toast(message, hint = "", tone = "good", action = null) {
  const others = toasts.value.filter((other) => other.message !== message);
  toasts.value = [...others, { id: ++count, message, hint, tone, action }];
  if (count === 1) render(html`<${Toasts} />`, document.querySelector(".o-toasts"));
}

const Toasts = () => toasts.value.map((told) => html`<${Toast} key=${told.id} ...${told} />`);

function Toast({ id, message, hint, tone, action }) {
  const held = useSignal(false);
  const close = () => {
    toasts.value = toasts.value.filter((other) => other.id !== id);
  };
  const hold = () => {
    held.value = true;
  };
  const letGo = () => {
    held.value = false;
  };
  useEffect(() => {
    if (held.value) return;
    const timer = setTimeout(close, action ? STAY_TO_ACT_MS : STAY_MS[tone]);
    return () => clearTimeout(timer);
  }, [held.value]);

  return html`
    <div
      class="o-toast"
      data-tone=${tone}
      role=${tone === "bad" ? "alert" : "status"}
      onPointerEnter=${hold}
      onPointerLeave=${letGo}
      onFocusIn=${hold}
      onFocusOut=${letGo}
    >
      <div><b>${message}</b>${hint && html`<span>${hint}</span>`}</div>
      ${action && html`<${WayOn} ...${action} close=${close} />`}
      <button type="button" class="o-toast-close" aria-label=${say("error.close")} onClick=${close}>×</button>
    </div>
  `;
}

function WayOn({ words, href, act, close }) {
  if (href) return html`<a class="o-toast-act" href=${href} onClick=${close}>${words}</a>`;
  const take = () => {
    close();
    act();
  };
  return html`<button type="button" class="o-toast-act" onClick=${take}>${words}</button>`;
}
