// One item looked at: its recipe, what it was made from and what was made from it. No form is touched.

import { captionOf, sentenceOf } from "../data/captions.js";
import { nameOf } from "../data/job_words.js";
import { say } from "../data/facts.js";
import { Icon, IconButton } from "../parts/icons.js";
import { Cuts } from "./cuts.js";
import { Rating } from "./rating.js";
import { edited, library } from "./store.js";
import { selection } from "./selection.js";
import { Tags } from "./tags.js";
import { factsOf, recipeOf } from "../data/recipe.js";
import { again as placeAgain } from "../parts/send.js";
import { ask } from "../parts/server.js";
import { seen } from "../data/store.js";
import { openLightbox } from "../media/lightbox.js";
import { canGo, SendTo } from "../media/send_to.js";
import { Viewer } from "../media/viewer.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal, useState } from "../vendor/preact.js";

// What it was made from, what was made from it, and what the same job made.
const FAMILY = ["made_from", "led_to", "siblings"];

export function Peek() {
  const { peeked: id } = seen(selection);
  const panel = useRef(null);
  const found = useSignal(null); // as GET /v1/library/{id} answered last
  const detail = found.value?.id === id ? found.value : null;
  const listed = (id && seen(library).find(id)) || null;
  const item = listed ?? detail;

  useEffect(() => {
    if (!id) return;
    ask("GET", `/v1/library/${encodeURIComponent(id)}`).then((answer) => {
      if (id !== selection.peeked) return;
      if (answer) found.value = answer;
      else selection.peek(null);
    });
  }, [id]);
  // The answer may be older than what was changed while it was under way; without this an item that a filter takes
  // from the list would show what it was before.
  useEffect(() => {
    if (listed && detail) found.value = { ...detail, ...listed };
  }, [listed, Boolean(detail)]);
  useLayoutEffect(() => {
    if (panel.current) panel.current.scrollTop = 0;
  }, [id]);
  useLayoutEffect(() => {
    document.body.toggleAttribute("data-peeks", Boolean(item));
  });
  if (!item) return null;

  const edit = (changes) => {
    if (detail) found.value = edited(detail, changes);
  };
  const change = (changes) => {
    edit(changes);
    library.change([id], changes);
  };
  const rename = (title) => {
    edit({ title });
    library.rename(id, title);
  };
  const close = () => {
    selection.peek(null);
    document.querySelector(`.o-tile[data-id="${CSS.escape(id)}"] .o-tile-open`)?.focus();
  };
  const enlarge = () =>
    openLightbox(
      library.items.map((other) => (other.missing ? { id: other.id } : other)),
      id,
      (last) => selection.peek(last),
    );
  const quiet = (name, icon, act, more = {}) =>
    html`<${IconButton} icon=${icon} words=${say(`peek.${name}`)} quiet data-do=${name} onClick=${act} ...${more} />`;
  const trashed = Boolean(item.trashed_at);
  const again = trashed ? null : placeAgain(item);
  const family = FAMILY.filter((group) => detail?.[group].length);
  return html`
    <o-library-peek ref=${panel} role="region" aria-label=${say("peek.label")} data-id=${id}>
      <header>
        <${Title} key=${id} item=${item} rename=${rename} />
        ${
          !trashed && [
            quiet("star", "star", () => change({ starred: !item.starred }), { "aria-pressed": String(item.starred) }),
            quiet("trash", "trash", () => library.trash([id])),
            !item.missing &&
              html`<${IconButton}
                icon="grow"
                words=${say("lightbox.open")}
                quiet
                data-do="enlarge"
                data-hot="enlarge"
                onClick=${enlarge}
              />`,
          ]
        }
        ${quiet("close", "close", close, { "data-hot": "cancel" })}
      </header>
      <${Viewer} item=${item} />
      <div class="o-acts o-peek-acts">
        ${
          again &&
          html`<a class="o-btn o-primary" data-do="use" href=${again}>
            <${Icon} name="again" />${say("peek.use")}
          </a>`
        }
        ${
          !trashed &&
          !item.missing &&
          canGo(item, detail?.request) &&
          html`<${SendTo} key=${id} result=${item} request=${detail?.request ?? null} />`
        }
        ${
          !item.missing &&
          !trashed &&
          html`<a class="o-btn" data-do="download" href=${item.url} download=${`orrery-${id}`}>
            <${Icon} name="download" />${say("peek.download")}
          </a>`
        }
        ${
          trashed &&
          html`
            <${IconButton}
              icon="restore"
              words=${say("chosen.restore")}
              data-do="restore"
              onClick=${() => library.restore([id])}
            />
            <${IconButton}
              icon="trash"
              words=${say("chosen.erase")}
              class="o-bad"
              data-do="erase"
              onClick=${() => library.erase([id])}
            />
          `
        }
      </div>
      ${
        !trashed &&
        !item.missing &&
        item.type === "video" &&
        item.num_frames > 1 &&
        html`<${Cuts} key=${id} item=${item} request=${detail?.request} />`
      }
      ${item.prompt && html`<p class="o-peek-prompt">${sentenceOf(item.prompt)}</p>`}
      ${
        captionOf(item.prompt) &&
        html`<details class="o-peek-caption">
          <summary>${say("peek.caption")}</summary>
          <pre tabindex="0">${JSON.stringify(captionOf(item.prompt), null, 2)}</pre>
        </details>`
      }
      <p class="o-meta">${factsOf(item)}</p>
      ${!trashed && html`<${Rating} rating=${item.rating} rate=${(rating) => change({ rating })} />`}
      <${Tags} tags=${item.tags} known=${library.facets.tags} mayChange=${!trashed} change=${change} />
      ${
        family.length > 0 &&
        html`<div class="o-family">
          ${family.map(
            (group) => html`
              <section key=${group} data-group=${group}>
                <h2>${say(`peek.${group}`)}</h2>
                <ul role="list">
                  ${detail[group].map((relative) => html`<${Relative} key=${relative.id} item=${relative} />`)}
                </ul>
              </section>
            `,
          )}
        </div>`
      }
      ${
        detail?.request &&
        html`<details open>
          <summary>${say("peek.recipe")}</summary>
          <dl class="o-recipe">
            ${recipeOf(detail.request).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
            ${
              detail.lineage &&
              html`<dt>${say("peek.tuned")}</dt>
                <dd>
                  <a href=${`/tune?tuning=${detail.lineage.tuning}`}>
                    ${say("peek.tuned_by", { name: detail.lineage.recipe.name, step: detail.lineage.step })}
                  </a>
                </dd>`
            }
          </dl>
        </details>`
      }
    </o-library-peek>
  `;
}

function Title({ item, rename }) {
  const [typed, type] = useState(null); // until it is the item's
  return html`<input
    class="o-peek-title"
    maxlength="300"
    autocomplete="off"
    aria-label=${say("peek.title")}
    placeholder=${nameOf({ ...item, title: "" }).slice(0, 80)}
    value=${typed ?? item.title}
    onInput=${({ target }) => type(target.value)}
    onChange=${({ target }) => rename(target.value)}
    onBlur=${() => type(null)}
    onKeyDown=${({ key, target }) => key === "Enter" && target.blur()}
  />`;
}

function Relative({ item }) {
  const name = nameOf(item);
  return html`
    <li>
      <button
        type="button"
        data-relative=${item.id}
        aria-label=${name.slice(0, 120)}
        title=${name.slice(0, 200)}
        onClick=${() => selection.peek(item.id)}
      >
        ${
          item.thumbnail_url && !item.missing
            ? html`<img loading="lazy" alt="" src=${item.thumbnail_url} />`
            : html`<${Icon} name="curve" size=${20} />`
        }
      </button>
    </li>
  `;
}
