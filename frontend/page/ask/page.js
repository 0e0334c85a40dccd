// Ask: what is asked about, chosen from the library, dropped or uploaded, with the marks of an answer drawn on it; and
// beside it the conversation about it.

import { say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { lost } from "../data/gone.js";
import { define } from "../parts/element.js";
import { IconButton } from "../parts/icons.js";
import { Enlarge } from "../media/lightbox.js";
import { pickFromLibrary } from "../media/library_picker.js";
import { marksOf } from "../media/marks.js";
import { upload } from "../media/media_facts.js";
import { subject } from "./subject.js";
import { chats } from "./store.js";
import { factsOf } from "../data/recipe.js";
import { seen } from "../data/store.js";
import { Chat } from "./chat.js";
import { Viewer } from "../media/viewer.js";
import { html, useEffect, useRef } from "../vendor/preact.js";

const TYPES = ["image", "video"];
const PATH = "trajectory"; // the task whose points are one movement

function View() {
  const file = useRef(null);
  const { item, loading, marked, turns } = seen(subject);
  seen(chats);
  const isThere = item && !item.missing && !seen(lost).has(item.id);
  useEffect(() => document.addEventListener("o-files", ({ detail }) => take(detail[0])), []);
  return html`
    <o-ask-view role="region" aria-label=${say("ask.subject")} data-media=${item?.id}>
      <div class="o-ask-frame">
        ${
          item &&
          html`<${Viewer}
            item=${item}
            marks=${isThere && marked ? marksOf(marked) : []}
            path=${turns[turns.indexOf(marked) - 1]?.task === PATH}
          />`
        }
        ${
          !item &&
          !loading &&
          html`<div class="o-empty"><b>${say("ask.nothing")}</b><p>${say("ask.nothing_hint")}</p></div>`
        }
      </div>
      ${item?.created_at && html`<p class="o-meta">${[item.title, factsOf(item)].filter(Boolean).join(" · ")}</p>`}
      <div class="o-acts">
        <${IconButton} icon="search" words=${say("ask.pick")} data-do="pick" onClick=${pick} />
        <${IconButton}
          icon="upload"
          words=${say("ask.upload")}
          data-do="upload"
          onClick=${() => file.current.click()}
        />
        ${isThere && html`<${Enlarge} id=${item.id} />`}
        ${
          item &&
          html`<${IconButton}
            icon="close"
            words=${say("ask.none")}
            data-do="none"
            onClick=${() => subject.set(null)}
          />`
        }
        <input
          ref=${file}
          type="file"
          accept="image/*,video/*"
          hidden
          aria-label=${say("ask.upload")}
          onChange=${({ target }) => {
            take(target.files[0]);
            target.value = "";
          }}
        />
      </div>
    </o-ask-view>
  `;
}

async function pick() {
  const item = await pickFromLibrary(TYPES);
  if (item) subject.set(item);
}

async function take(file) {
  const item = file && (await upload(file, (why) => toast(why, "", "bad")));
  if (!item) return;
  if (TYPES.includes(item.type)) subject.set(item);
  else toast(say("ask.unseen"), "", "bad");
}

define("o-ask", () => html`<${View} /><${Chat} />`);
