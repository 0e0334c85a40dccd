// One picture or clip of the form: dropped in, uploaded, or picked from the library; then its thumbnail and what it is.

import { say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { seen } from "../data/store.js";
import { toast } from "../parts/errors.js";
import { Icon } from "../parts/icons.js";
import { html, useEffect, useRef, useSignal, useState } from "../vendor/preact.js";
import { grabFrame } from "./frame_grab.js";
import { pickFromLibrary } from "./library_picker.js";
import { factsOf, mediaOf, upload } from "./media_facts.js";
import { sampleFile } from "./samples.js";

let count = 0;

/**
 * `types`: "image", "video" or both; `title`, `empty`: words; `id` of what is shown, or null; `picked(item)` is told
 * what was chosen, `cleared()` that it was taken away; `small`: one line, without a sample.
 */
export function MediaInput({ types, title, empty, id, picked, cleared, small = false }) {
  const [titleId] = useState(() => `o-media-${++count}`);
  const changing = useSignal(false);
  const status = useSignal("");
  const facts = useSignal([]);
  const input = useRef(null);
  const isLost = Boolean(id) && seen(lost).has(id);

  useEffect(() => {
    changing.value = false;
    status.value = "";
    facts.value = [];
    let current = true;
    const look = async () => {
      const item = await mediaOf(id);
      if (!current) return;
      if (!item) status.value = say("pick.gone");
      else facts.value = factsOf(item);
      if (item) await lost.check(id);
    };
    if (id) look();
    return () => {
      current = false;
    };
  }, [id]);
  useEffect(() => {
    if (!isLost) return;
    status.value = say("pick.lost");
    changing.value = true;
  }, [isLost]);

  function take(item) {
    if (!types.includes(item.type)) return toast(say(`pick.no_${item.type}`), "", "bad");
    changing.value = false;
    picked(item);
  }
  async function send(file) {
    if (!file) return;
    input.current.value = "";
    status.value = say("pick.uploading");
    const isClip = file.type.startsWith("video/");
    const sent = isClip && !types.includes("video") ? await grabFrame(URL.createObjectURL(file)) : file;
    const refused = (why) => {
      status.value = why;
    };
    const item = sent && (await upload(sent, refused));
    if (!item) return;
    status.value = sent === file ? "" : say("pick.first_frame");
    take(item);
  }
  async function pick() {
    const item = await pickFromLibrary(types);
    if (item) take(item);
  }
  async function sample() {
    status.value = say("pick.uploading");
    send(await sampleFile(types.at(-1)));
  }
  const change = () => {
    changing.value = true;
  };
  const remove = () => {
    cleared();
    change();
  };

  return html`
    <div
      class="o-media"
      role="group"
      aria-labelledby=${titleId}
      data-takes=${types.join(" ")}
      data-small=${small ? "true" : null}
      data-media=${id}
      ono-file=${({ detail }) => send(detail)}
    >
      <b id=${titleId} class="o-media-title">${title}</b>
      ${
        id &&
        html`<div class="o-media-filled">
          <img alt="" src=${`/v1/media/${id}/thumbnail`} />
          <span class="o-media-facts">${facts.value.map((fact) => html`<span>${fact}</span>`)}</span>
          <button type="button" class="o-btn" aria-expanded=${String(changing.value)} onClick=${change}>
            ${say("pick.change")}
          </button>
          <button type="button" class="o-btn" aria-label=${say("pick.remove_it", { title })} onClick=${remove}>
            ${say("pick.remove")}
          </button>
        </div>`
      }
      ${
        (changing.value || !id) &&
        html`<div class="o-media-choices">
          <span class="o-media-empty">${empty}</span>
          <button type="button" class="o-btn" onClick=${() => input.current.click()}>
            <${Icon} name="upload" size="15" />${say("pick.upload")}
          </button>
          <button type="button" class="o-btn" onClick=${pick}>${say("pick.library")}</button>
          ${!small && html`<button type="button" class="o-btn" onClick=${sample}>${say("pick.sample")}</button>`}
        </div>`
      }
      <span class="o-media-status" role="status">${status.value}</span>
      <input
        ref=${input}
        type="file"
        accept=${types.map((type) => `${type}/*`).join(",")}
        hidden
        onChange=${({ target }) => send(target.files[0])}
      />
    </div>
  `;
}
