// The builder of multiple-choice questions: drawn for the videos of an annotated run, answered by two sides, kept or removed.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { toast } from "../parts/errors.js";
import { IconButton } from "../parts/icons.js";
import { Meter } from "../parts/progress_bar.js";
import { askJson, useAnswer } from "../parts/server.js";
import { html, useRef, useSignal } from "../vendor/preact.js";
import { evaluation } from "./store.js";

const PER_VIDEO = 12;
const SHOWN = ["all", "undecided", "kept"];
const SHOWS = {
  all: () => true,
  undecided: ({ asked, letter, by_person: decided }) => asked && letter === null && decided !== "drop",
  kept: ({ letter }) => letter !== null,
};
const PAGE = 24;

/** The form as it drew the questions that are there. */
const formOf = ({ drawn_by: drawn, categories }) => ({
  annotation_reasoner: drawn?.reasoner ?? "",
  video_reasoner: drawn?.video_reasoner ?? "",
  per_video: drawn?.per_video ?? PER_VIDEO,
  left_out: drawn?.categories.length ? categories.filter((name) => !drawn.categories.includes(name)) : [],
  seed: drawn?.seed ?? 0,
});

export function Builder({ run }) {
  const { reasoners, fetched } = seen(evaluation);
  const known = useAnswer(`/v1/runs/${run.id}/questions`, `${run.id} ${fetched}`);
  const said = useSignal({}); // what a person has changed in the form
  const busy = useSignal(false);
  const deciding = useRef(Promise.resolve());
  const newer = useSignal(null); // what was answered here, until the server says so too
  if (!known?.categories.length) return null; // nothing of its annotations is one of a few values
  const drafts = newer.value?.fetched === fetched ? newer.value.drafts : known;
  const { questions, categories, is_running: running, error } = drafts;
  const form = { ...formOf(drafts), ...said.value };
  const set = (name) => (event) => {
    said.value = { ...said.value, [name]: event.currentTarget.value };
  };
  async function send(verb, path, body) {
    busy.value = true;
    const answer = await askJson(verb, `/v1/runs/${run.id}/questions${path}`, body);
    busy.value = false;
    return answer;
  }
  const take = (drafts) => {
    if (drafts) newer.value = { drafts, fetched: evaluation.fetched };
  };
  async function draft(event) {
    event.preventDefault();
    const { annotation_reasoner: reasoner, video_reasoner: video, per_video: count, left_out: out, seed } = form;
    take(
      await send("POST", "", {
        reasoner: reasoner || null,
        video_reasoner: video || null,
        per_video: count ? Number(count) : null,
        categories: out.length ? categories.filter((name) => !out.includes(name)) : [],
        seed,
      }),
    );
  }
  // One after the other, so that the last answer is that to the last decision.
  function decide({ video, question }, by_person) {
    deciding.current = deciding.current.then(async () => take(await send("PATCH", "", { video, question, by_person })));
  }

  const who = (name, none) => html`
    <label>
      <span>${say(`evaluate.${name}`)}</span>
      <select class="o-select" name=${name} value=${form[name]} onChange=${set(name)}>
        <option value="">${none}</option>
        ${reasoners.map(({ name: own, title }) => html`<option key=${own} value=${own}>${title}</option>`)}
      </select>
    </label>
  `;
  return html`
    <section class="o-card-plain" aria-label=${say("evaluate.builder")}>
      <details class="o-builder" open=${questions.length > 0}>
      <summary><h2>${say("evaluate.builder")}</h2></summary>
      <p class="o-hint">${say("evaluate.builder_hint")}</p>
      <form class="o-builder-form" aria-label=${say("evaluate.draft_form")} onSubmit=${draft}>
        ${who("annotation_reasoner", say("evaluate.default_reasoner"))}
        ${who("video_reasoner", say("evaluate.same_reasoner"))}
        <label>
          <span>${say("evaluate.per_video")}</span>
          <input
            class="o-select o-num"
            type="number"
            min="1"
            max="50"
            name="per_video"
            placeholder=${PER_VIDEO}
            value=${form.per_video}
            onInput=${set("per_video")}
          />
        </label>
        <fieldset>
          <legend>${say("evaluate.categories")}</legend>
          ${categories.map(
            (name) => html`
              <label key=${name}>
                <input
                  type="checkbox"
                  checked=${!form.left_out.includes(name)}
                  onChange=${({ target }) => {
                    const others = form.left_out.filter((one) => one !== name);
                    said.value = { ...said.value, left_out: target.checked ? others : [...others, name] };
                  }}
                />
                ${name}
              </label>
            `,
          )}
        </fieldset>
        <button
          type="submit"
          class="o-btn"
          data-do="draft"
          disabled=${busy.value || running || form.left_out.length === categories.length}
        >
          ${say("evaluate.draft")}
        </button>
      </form>
      ${running && html`<${Progress} questions=${questions} />`}
      ${error && html`<p class="o-bad-words" role="alert">${error.message}</p>`}
      ${questions.length > 0 && html`<${Drafts} ...${{ run, questions, decide, send }} busy=${busy.value} />`}
      </details>
    </section>
  `;
}

function Progress({ questions }) {
  const done = questions.filter(({ asked }) => asked).length;
  return html`
    <p class="o-hint" role="status">${say("evaluate.drafted", { done, planned: questions.length })}</p>
    <${Meter} share=${done / Math.max(questions.length, 1)} aria-label=${say("evaluate.progress")} />
  `;
}

function Drafts({ run, questions, decide, send, busy }) {
  const shows = useSignal("all");
  const count = useSignal(PAGE);
  const name = useSignal(`${run.benchmark}-questions`);
  const found = questions.filter(SHOWS[shows.value]);
  const kept = questions.filter(SHOWS.kept).length;
  async function save(event) {
    event.preventDefault();
    const saved = await send("POST", "/benchmark", { name: name.value });
    if (!saved) return;
    toast(counted("evaluate.added", saved.num_items, { name: saved.title }));
    evaluation.fetch();
  }
  return html`
    <div class="o-builder-shown">
      <select
        class="o-select"
        aria-label=${say("evaluate.drafts_shown")}
        value=${shows.value}
        onChange=${({ target }) => {
          shows.value = target.value;
          count.value = PAGE;
        }}
      >
        ${SHOWN.map(
          (one) => html`
            <option key=${one} value=${one}>
              ${say(`evaluate.drafts_${one}`)} (${questions.filter(SHOWS[one]).length})
            </option>
          `,
        )}
      </select>
    </div>
    <ol role="list" class="o-builder-list">
      ${found
        .slice(0, count.value)
        .map((one) => html`<${Draft} key=${`${one.video}/${one.question}`} one=${one} decide=${decide} />`)}
    </ol>
    ${
      found.length > count.value &&
      html`<button type="button" class="o-btn" data-do="more" onClick=${() => (count.value += PAGE)}>
        ${counted("evaluate.more", found.length - count.value)}
      </button>`
    }
    <form class="o-builder-save" aria-label=${say("evaluate.save_questions")} onSubmit=${save}>
      <label>
        <span>${say("evaluate.questions_name")}</span>
        <input
          class="o-select"
          name="name"
          required
          maxlength="100"
          value=${name.value}
          onInput=${({ target }) => (name.value = target.value)}
        />
      </label>
      <button type="submit" class="o-btn o-primary" data-do="save-questions" disabled=${busy || !kept}>
        ${counted("evaluate.save_count", kept)}
      </button>
    </form>
  `;
}

function Draft({ one, decide }) {
  const { video, media, category, text, choices, letter, by_person: decided, from_annotation, from_video, asked } = one;
  const removed = decided === "drop";
  const sides = [
    from_annotation && say("evaluate.from_annotation", { letter: from_annotation }),
    from_video && say("evaluate.from_video", { letter: from_video }),
    !decided && asked && say(`evaluate.settled_${one.state}`),
    !asked && say("evaluate.not_asked"),
    decided && say(removed ? "evaluate.draft_removed" : "evaluate.draft_decided"),
  ];
  return html`
    <li data-draft=${`${video}/${one.question}`} data-removed=${removed ? "" : null}>
      <img alt="" loading="lazy" src=${`/v1/media/${media[0]}/thumbnail`} />
      <fieldset>
        <legend>${text}</legend>
        <small>${video} · ${category}</small>
        ${Object.entries(choices).map(
          ([own, words]) => html`
            <label key=${own}>
              <input
                type="radio"
                name=${`${video}/${one.question}`}
                checked=${letter === own}
                onChange=${() => decide(one, own)}
              />
              ${own}. ${words}
            </label>
          `,
        )}
        <small>${sides.filter(Boolean).join(" · ")}</small>
      </fieldset>
      <${IconButton}
        icon=${removed ? "restore" : "trash"}
        words=${say(removed ? "evaluate.draft_back" : "evaluate.draft_remove")}
        quiet
        data-do=${removed ? "bring-back" : "remove-draft"}
        onClick=${() => decide(one, removed ? null : "drop")}
      />
    </li>
  `;
}
