// The library as a dialog: search it, and take one thing out of it.

import { counted, say } from "../data/facts.js";
import { nameOf } from "../data/job_words.js";
import { ask } from "../parts/server.js";
import { html, render, useEffect, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";
import { remember } from "./media_facts.js";

const TYPING_MS = 150;
const LIMIT = 60;

/** Let a person take one item of some types; null when they take none. */
export function pickFromLibrary(types) {
  const place = document.createElement("div");
  document.querySelector(".o-shell").append(place);
  return new Promise((resolve) => {
    const take = (item) => {
      render(null, place);
      place.remove();
      resolve(item && remember(item));
    };
    render(html`<${Picker} types=${types} take=${take} />`, place);
  });
}

function Picker({ types, take }) {
  const dialog = useRef(null);
  const words = useSignal("");
  const items = useSignal(null); // null until the server has answered
  useLayoutEffect(() => dialog.current.showModal(), []);
  useEffect(() => {
    let current = true;
    const look = async () => {
      const found = await search(types, words.value.trim());
      if (current) items.value = found;
    };
    const timer = setTimeout(look, items.value ? TYPING_MS : 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [words.value]);

  return html`
    <dialog
      ref=${dialog}
      class="o-picker"
      aria-label=${say("picker.title")}
      onClose=${() => take(null)}
      onClick=${({ target }) => target === dialog.current && take(null)}
    >
      <header>
        <h2>${say("picker.title")}</h2>
        <input
          class="o-select"
          type="search"
          placeholder=${say("picker.search")}
          aria-label=${say("picker.search")}
          onInput=${({ target }) => {
            words.value = target.value;
          }}
        />
        <button type="button" class="o-round" aria-label=${say("error.close")} onClick=${() => take(null)}>×</button>
      </header>
      <ul role="list">
        ${items.value?.map((item) => html`<${Item} key=${item.id} item=${item} take=${take} />`)}
      </ul>
      <p role="status" hidden=${items.value?.length !== 0}>
        ${say(words.value.trim() ? "picker.none" : "picker.empty")}
      </p>
    </dialog>
  `;
}

function Item({ item, take }) {
  const name = nameOf(item);
  return html`
    <li>
      <button type="button" title=${name} aria-label=${name} data-media=${item.id} onClick=${() => take(item)}>
        <img alt="" loading="lazy" src=${item.thumbnail_url} />
        ${
          item.type !== "image" &&
          html`<span class="o-picker-mark">${item.num_frames && counted("pick.frames", item.num_frames)}</span>`
        }
      </button>
    </li>
  `;
}

async function search(types, words) {
  const params = new URLSearchParams({ limit: String(LIMIT) });
  if (words) params.set("q", words);
  if (types.length === 1) params.set("type", types[0]);
  const found = await ask("GET", `/v1/library?${params}`);
  return (found?.items ?? []).filter((item) => types.includes(item.type) && !item.missing);
}
