// The waiting list: in order, and put into another order by dragging a grip or with the arrows on it.

import { counted, say } from "../data/facts.js";
import { queue } from "./store.js";
import { WaitingRow } from "./waiting.js";
import { html, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";

const MOST_ROWS = 200;

export function WaitingList({ entries: told }) {
  const list = useRef(null);
  const latest = useRef(null);
  latest.current = told;
  const moved = useSignal(null); // { told, entries }: as a person put them, until the server has more to say
  const dragged = useSignal(null); // { entries, from, to, by }: the list as it was, two places, pixels
  const said = useSignal("");
  const order = () => (moved.value?.told === latest.current ? moved.value.entries : latest.current);
  const entries = dragged.value?.entries ?? order();
  const shown = entries.slice(0, MOST_ROWS);

  // A node that moves loses the focus; the person who moved it goes on with it.
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  useLayoutEffect(() => {
    if (focused !== document.activeElement && list.current.contains(focused)) focused.focus();
  });

  // `to` is the place among the others, once the entry has been taken out.
  function move(before, from, to) {
    const after = [...before];
    const [entry] = after.splice(from, 1);
    const next = after[to];
    after.splice(to, 0, entry);
    moved.value = { told: latest.current, entries: after };
    said.value = say("queue.moved", { place: to + 1, count: after.length });
    queue.move(entry.waiting, next?.waiting[0].id ?? null);
  }

  function key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
    const onGrip = event.target.matches(".o-grip");
    if (!by || event.ctrlKey || event.metaKey || (!onGrip && !event.altKey)) return;
    event.preventDefault();
    const before = order();
    const from = before.findIndex(({ id }) => id === event.target.closest("[data-entry]").dataset.entry);
    const to = Math.min(Math.max(from + by, 0), before.length - 1);
    if (from >= 0 && to !== from) move(before, from, to);
  }

  function lift(event, from) {
    if (event.button !== 0) return;
    event.preventDefault();
    const grip = event.currentTarget;
    const row = grip.closest("[data-entry]");
    const beginsAt = event.clientY;
    const before = order();
    let to = from;
    dragged.value = { entries: before, from, to, by: 0 };
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = ({ clientY }) => {
      const others = [...list.current.children].filter((other) => other !== row);
      to = others.filter((other) => middle(other) < clientY).length;
      dragged.value = { entries: before, from, to, by: clientY - beginsAt };
    };
    grip.onlostpointercapture = () => {
      grip.onpointermove = grip.onlostpointercapture = grip.onpointercancel = null;
      dragged.value = null;
      if (to !== from) move(before, from, to);
    };
    grip.onpointercancel = () => (to = from);
  }

  // How a row is drawn while one is dragged: the one itself, and the one that it would stand before.
  function asDragged(index) {
    if (!dragged.value) return {};
    const { from, to, by } = dragged.value;
    if (index === from) return { "data-dragged": "true", style: { transform: `translateY(${by}px)` } };
    return { "data-before": index - (index > from ? 1 : 0) === to ? "" : null };
  }

  return html`
    <ol
      ref=${list}
      class="o-rows"
      aria-label=${say("queue.waiting")}
      data-last=${dragged.value?.to === shown.length - 1 ? "" : null}
      onKeyDown=${key}
    >
      ${shown.map(
        (entry, index) => html`<${WaitingRow}
          key=${entry.id}
          entry=${entry}
          place=${index + 1}
          count=${entries.length}
          lift=${(event) => lift(event, index)}
          ...${asDragged(index)}
        />`,
      )}
    </ol>
    ${entries.length > shown.length && html`<p class="o-hint">${counted("queue.more", entries.length - shown.length)}</p>`}
    <p class="o-sr" role="status">${said}</p>
    <p class="o-sr" id="queue-how">${say("queue.how")}</p>
  `;
}

function middle(node) {
  const { top, height } = node.getBoundingClientRect();
  return top + height / 2;
}
