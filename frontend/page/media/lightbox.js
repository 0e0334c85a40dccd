// One item over the whole page: the ones beside it with the arrows and as a strip, closer with the wheel, and what it is.

import { sentenceOf } from "../data/captions.js";
import { say } from "../data/facts.js";
import { nameOf } from "../data/job_words.js";
import { factsOf } from "../data/recipe.js";
import { seen } from "../data/store.js";
import { Icon, IconButton } from "../parts/icons.js";
import { ask } from "../parts/server.js";
import { Zoom } from "../parts/zoom.js";
import { html, render, useEffect, useLayoutEffect, useRef, useSignal, useState } from "../vendor/preact.js";
import { Viewer } from "./viewer.js";

const BESIDE = 12; // thumbnails to each side
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/** Show an item of the library, by its id, among others; `closed(id)` is told which was looked at last. */
export function openLightbox(items, id, closed = (_id) => {}) {
  const place = document.createElement("div");
  document.querySelector(".o-shell").append(place);
  const close = (last) => {
    render(null, place);
    place.remove();
    closed(last);
  };
  render(html`<${Lightbox} items=${items} first=${id} close=${close} />`, place);
}

/** The button that shows an item alone. */
export const Enlarge = ({ id }) => html`
  <${IconButton}
    icon="grow"
    words=${say("lightbox.open")}
    quiet
    data-do="enlarge"
    data-hot="enlarge"
    onClick=${() => openLightbox([{ id }], id)}
  />
`;

/** `items` are what can be shown, each with an `id` and, where it has one, a `thumbnail_url`. */
function Lightbox({ items, first, close }) {
  const dialog = useRef(null);
  const at = useSignal(
    Math.max(
      items.findIndex(({ id }) => id === first),
      0,
    ),
  );
  const item = useSignal(null); // as GET /v1/library/{id} answers, or false where it is gone
  const [zoom] = useState(() => new Zoom(".o-viewer-frame"));
  const { id } = items[at.value];
  useLayoutEffect(() => dialog.current.showModal(), []);
  useEffect(() => {
    let current = true;
    zoom.by(0);
    ask("GET", `/v1/library/${encodeURIComponent(id)}`).then((found) => {
      if (current) item.value = found ?? false;
    });
    return () => {
      current = false;
    };
  }, [id]);

  const go = (index) => {
    at.value = Math.min(Math.max(index, 0), items.length - 1);
  };
  function onKeyDown(event) {
    const step = STEPS[event.key];
    if (!step || event.target.matches("input")) return;
    event.preventDefault();
    go(at.value + step);
  }
  const shown = item.value?.id === id ? item.value : null;
  const { style, ...attributes } = seen(zoom).attributes;
  const from = Math.max(at.value - BESIDE, 0);
  return html`
    <dialog
      ref=${dialog}
      class="o-lightbox"
      aria-label=${say("lightbox.title")}
      data-media=${id}
      onClose=${() => close(id)}
      onKeyDown=${onKeyDown}
    >
      <header>
        <b>${shown ? nameOf(shown) : ""}</b>
        <span class="o-num">${say("lightbox.place", { index: at.value + 1, count: items.length })}</span>
        <span class="o-grow" />
        <${Closer} zoom=${zoom} />
        ${shown && html`<a class="o-play" href=${`/library?item=${encodeURIComponent(id)}`}>${say("lightbox.library")}</a>`}
        ${shown && html`<a class="o-play" href=${shown.url} download=${`orrery-${id}`}>${say("peek.download")}</a>`}
        <button type="button" class="o-play" aria-label=${say("error.close")} onClick=${() => close(id)}>
          <${Icon} name="close" />
        </button>
      </header>
      <div class="o-lightbox-body" style=${style} ...${attributes}>
        <${Way} by=${-1} disabled=${at.value === 0} go=${() => go(at.value - 1)} />
        ${item.value === false && html`<p>${say("viewer.gone")}</p>`}
        ${shown && html`<${Viewer} item=${shown} />`}
        <${Way} by=${1} disabled=${at.value === items.length - 1} go=${() => go(at.value + 1)} />
      </div>
      <p class="o-lightbox-words">${shown?.prompt ? sentenceOf(shown.prompt) : ""}</p>
      <p class="o-lightbox-words o-num">${shown && factsOf(shown)}</p>
      ${
        items.length > 1 &&
        html`<ul class="o-lightbox-strip" role="list">
          ${items.slice(from, at.value + BESIDE + 1).map(
            (other, index) => html`
              <li key=${other.id}>
                <button
                  type="button"
                  aria-current=${other.id === id ? "true" : null}
                  aria-label=${say("lightbox.show", { index: from + index + 1 })}
                  onClick=${() => go(from + index)}
                >
                  ${
                    other.thumbnail_url
                      ? html`<img alt="" loading="lazy" src=${other.thumbnail_url} />`
                      : html`<${Icon} name="curve" size="20" />`
                  }
                </button>
              </li>
            `,
          )}
        </ul>`
      }
    </dialog>
  `;
}

const Way = ({ by, disabled, go }) => html`
  <button
    type="button"
    class="o-play o-lightbox-way"
    aria-label=${say(by < 0 ? "lightbox.before" : "lightbox.after")}
    disabled=${disabled}
    onClick=${go}
  >
    <${Icon} name=${by < 0 ? "back" : "forward"} size="22" />
  </button>
`;

const Closer = ({ zoom }) => html`
  <button type="button" class="o-play" aria-label=${say("lightbox.zoom_out")} onClick=${() => zoom.by(1 / 1.5)}>−</button>
  <button type="button" class="o-play o-num" aria-label=${say("lightbox.zoom_reset")} onClick=${() => zoom.by(0)}>
    ${Number(seen(zoom).scale.toFixed(1))}×
  </button>
  <button type="button" class="o-play" aria-label=${say("lightbox.zoom_in")} onClick=${() => zoom.by(1.5)}>+</button>
`;
