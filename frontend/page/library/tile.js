// One item of the grid: its picture, what it is, and its two buttons for the mouse. The keyboard has keys for them.

import { nameOf } from "../data/job_words.js";
import { counted, duration, say } from "../data/facts.js";
import { Icon } from "../parts/icons.js";
import { DRAGGED } from "./boards.js";
import { query } from "./query.js";
import { library } from "./store.js";
import { selection } from "./selection.js";
import { html, useSignal } from "../vendor/preact.js";

const GLYPHS = { actions: "curve", latents: "disk" };
const DAY = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });
const CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hour12: false });
const layouts = new Map(); // sheet URL → promise of the layout

/** An item, or the place where one will be: null while it is fetched. */
export function Tile({ item, index, count, chosen, peeked, current, x, y, width, height }) {
  const name = item && nameOf(item);
  const words = item && [
    say(`media.${item.type}`),
    name.slice(0, 120),
    metaOf(item),
    item.starred && say("library.starred"),
    item.rating > 0 && say("peek.rated", { number: item.rating }),
    item.stack && counted("library.stack", item.stack.num_items),
  ];
  const stack = item?.stack;
  const open = (event) => {
    if (!item) return;
    if (stack) query.set({ batch: stack.batch });
    else if (event.ctrlKey || event.metaKey) selection.toggle(item.id, index);
    else if (event.shiftKey) selection.reach(library.items, index);
    else if (selection.chosen.size && event.target.closest(".o-tile-open") && event.detail > 0)
      selection.toggle(item.id, index);
    else selection.peek(item.id);
  };
  const drag = ({ dataTransfer }) => {
    const ids = chosen ? [...selection.chosen] : [item.id];
    dataTransfer.setData(DRAGGED, JSON.stringify(ids));
    dataTransfer.effectAllowed = "copy";
  };
  const button = (kind, glyph, size, pressed, act) => html`
    <button
      type="button"
      class="o-tile-${kind === "choose" ? "check" : kind}"
      tabindex="-1"
      data-do=${kind}
      aria-pressed=${String(pressed)}
      aria-label=${say(`library.${kind}_item`, { name: name.slice(0, 60) })}
      onClick=${(event) => {
        event.stopPropagation();
        act();
      }}
    >
      <${Icon} name=${glyph} size=${size} />
    </button>
  `;
  return html`
    <li
      class="o-tile"
      style=${{ width: `${width}px`, transform: `translate(${x}px, ${y}px)` }}
      data-index=${index}
      data-id=${item?.id}
      aria-posinset=${index + 1}
      aria-setsize=${count}
      data-chosen=${chosen ? "true" : null}
      data-starred=${item?.starred ? "true" : null}
      data-missing=${item?.missing ? "true" : null}
      data-stack=${stack ? "" : null}
      data-waits=${item ? null : "true"}
      draggable=${Boolean(item) && !stack}
      onDragStart=${drag}
      onClick=${open}
      onFocusIn=${() => index !== selection.at && selection.move(index)}
    >
      <button
        type="button"
        class="o-tile-open"
        data-do="open"
        tabindex=${current ? "0" : "-1"}
        aria-current=${peeked ? "true" : null}
        aria-label=${words ? words.filter(Boolean).join(", ") : say("library.coming")}
      >
        <${Picture} key=${item?.id} item=${item} height=${height} />
      </button>
      ${
        item &&
        !stack && [
          button("choose", "check", 14, chosen, () => selection.toggle(item.id, index)),
          button("star", "star", 15, item.starred, () => library.change([item.id], { starred: !item.starred })),
        ]
      }
      <span class="o-tile-name">${name}</span>
      <span class="o-tile-meta">${item && metaOf(item)}</span>
    </li>
  `;
}

// Moving the pointer over a clip's picture runs through its frames, from one sheet that is fetched on the first touch.
function Picture({ item, height }) {
  const frame = useSignal(null);
  const pictured = item?.thumbnail_url && !item.missing;
  const badge = item && badgeOf(item);
  async function scrub({ currentTarget: picture, pointerType, clientX }) {
    const url = item && !item.missing && item.spritesheet_url;
    const layout = url && pointerType === "mouse" && (await layoutOf(url));
    if (layout && picture.matches(":hover")) frame.value = frameAt(layout, url, picture, clientX);
  }
  return html`
    <span
      class="o-tile-picture"
      style=${{ height: `${height}px` }}
      onPointerMove=${scrub}
      onPointerLeave=${() => {
        frame.value = null;
      }}
    >
      ${pictured && html`<img alt="" decoding="async" draggable=${false} src=${item.thumbnail_url} />`}
      ${
        item &&
        !pictured &&
        html`<span class="o-tile-glyph">
          <${Icon} name=${item.missing ? "close" : (GLYPHS[item.type] ?? "disk")} size=${26} />
        </span>`
      }
      ${badge && html`<span class="o-tile-badge">${badge}</span>`}
      ${item?.rating > 0 && html`<span class="o-tile-rating o-num">${item.rating}/5</span>`}
      ${
        frame.value && [
          html`<span class="o-scrub" style=${frame.value.sheet} />`,
          html`<span class="o-scrub-bar"><i style=${{ width: frame.value.done }} /></span>`,
        ]
      }
    </span>
  `;
}

function badgeOf(item) {
  if (item.missing) return say("library.missing");
  if (item.stack) return counted("library.stack", item.stack.num_items);
  if (item.type === "video")
    return [duration(item.duration_s ?? 0), item.has_sound ? say("library.sound") : ""].filter(Boolean).join(" · ");
  if (item.type === "actions")
    return say(item.mime === "application/x-npy" ? "library.array" : "meta.actions", {
      actions: item.num_actions ?? "",
    });
  return "";
}

function metaOf(item) {
  const when = new Date(item.created_at);
  const today = when.toDateString() === new Date().toDateString();
  return [
    (today ? CLOCK : DAY).format(when),
    item.kind === "upload" ? say("kind.upload") : say("meta.seed", { seed: item.seed }),
  ].join(" · ");
}

// How the frames of a clip lie on its sheet, once that can be drawn; null where it cannot be had.
function layoutOf(url) {
  if (!layouts.has(url)) layouts.set(url, fetched(url));
  return layouts.get(url);
}

// The frame under the pointer: the style of the sheet that shows it, and how much of the clip is `done`.
function frameAt(layout, url, picture, clientX) {
  const { left, width, height } = picture.getBoundingClientRect();
  const share = Math.min(Math.max((clientX - left) / width, 0), 0.9999);
  const frame = Math.floor(share * layout.num_frames);
  // One frame of the sheet fits into the picture as the thumbnail does: whole, centred.
  const scale = Math.min(width / layout.frame_width, height / layout.frame_height);
  const [wide, high] = [layout.frame_width * scale, layout.frame_height * scale];
  const sheet = {
    width: `${wide}px`,
    height: `${high}px`,
    backgroundImage: `url("${url}")`,
    backgroundSize: `${wide * layout.columns}px ${high * layout.rows}px`,
    backgroundPosition: `${-(frame % layout.columns) * wide}px ${-Math.floor(frame / layout.columns) * high}px`,
  };
  return { sheet, done: `${((frame + 1) / layout.num_frames) * 100}%` };
}

async function fetched(url) {
  try {
    const reply = await fetch(`${url}?layout=json`);
    if (!reply.ok) return null;
    const layout = await reply.json();
    const image = new Image();
    image.src = url;
    await image.decode();
    return layout;
  } catch {
    layouts.delete(url);
    return null;
  }
}
