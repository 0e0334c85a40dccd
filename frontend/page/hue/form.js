// A new study: of videos that were selected in the Library, or of a comparison; and who writes its questions.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { html, useSignal } from "../vendor/preact.js";
import { hue } from "./store.js";

export function HueForm() {
  const { given, batch, comparisons, reasoners } = seen(hue);
  const chosen = useSignal({ title: "", author: "", batch: "", prompts: {} }); // prompts by the id of a real video
  const busy = useSignal(false);
  const set = (name) => (event) => {
    chosen.value = { ...chosen.value, [name]: event.currentTarget.value };
  };
  const { title, author, prompts } = chosen.value;
  const source = batch || chosen.value.batch || comparisons[0]?.id || "";
  const texts = [...new Set(given.filter(({ job_id: job }) => job).map(({ prompt }) => prompt))];
  const real = given.filter(({ job_id: job }) => !job);

  async function create(event) {
    event.preventDefault();
    busy.value = true;
    const videos = given.map(({ id, job_id: job }) => ({
      media: id,
      prompt: job ? "" : (prompts[id] ?? texts[0] ?? ""),
    }));
    const of = videos.length ? { videos } : { batch: source };
    if (await hue.create({ ...of, title, author: author || null })) chosen.value = { ...chosen.value, title: "" };
    busy.value = false;
  }

  return html`
    <form class="o-card-plain o-stack" aria-label=${say("hue.new")} onSubmit=${create}>
      <h2>${say("hue.new")}</h2>
      ${given.length > 0 && html`<p class="o-hint">${counted("hue.items", given.length)}</p>`}
      ${
        texts.length > 1 &&
        real.map(
          ({ id, title: name }) => html`
            <label key=${id}>
              <span>${say("hue.real_prompt", { title: name || id })}</span>
              <select
                class="o-select"
                value=${prompts[id] ?? texts[0]}
                onChange=${({ target }) => {
                  chosen.value = { ...chosen.value, prompts: { ...prompts, [id]: target.value } };
                }}
              >
                ${texts.map((text) => html`<option key=${text} value=${text}>${text}</option>`)}
              </select>
            </label>
          `,
        )
      }
      ${given.length === 0 && batch && html`<p class="o-hint">${say("hue.batch")}</p>`}
      ${
        given.length === 0 &&
        !batch &&
        html`<label>
          <span>${say("hue.comparison")}</span>
          <select class="o-select" name="batch" value=${source} onChange=${set("batch")}>
            ${!comparisons.length && html`<option value="">${say("hue.none")}</option>`}
            ${comparisons.map((one) => html`<option key=${one.id} value=${one.id}>${one.title}</option>`)}
          </select>
        </label>`
      }
      <label>
        <span>${say("hue.title")}</span>
        <input
          class="o-select"
          name="title"
          maxlength="300"
          autocomplete="off"
          placeholder=${say("hue.title_hint")}
          value=${title}
          onInput=${set("title")}
        />
      </label>
      <label>
        <span>${say("hue.author")}</span>
        <select class="o-select" name="author" value=${author} onChange=${set("author")}>
          <option value="">${say("hue.people")}</option>
          ${reasoners.map((one) => html`<option key=${one.name} value=${one.name}>${one.title}</option>`)}
        </select>
      </label>
      <div class="o-acts">
        <button
          type="submit"
          class="o-btn o-primary"
          data-hot="submit"
          disabled=${busy.value || !(given.length || source)}
        >
          ${say("hue.create")}
        </button>
      </div>
    </form>
  `;
}
