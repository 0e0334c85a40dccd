// HUE: a new study and the studies at the left; of the one that is looked at its questions, the rating and the scores.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Columns, Head, Listed } from "../parts/columns.js";
import { IconButton } from "../parts/icons.js";
import { confirmed } from "../parts/sure.js";
import { html } from "../vendor/preact.js";
import { HueAnswers } from "./answers.js";
import { HueBank } from "./bank.js";
import { HueForm } from "./form.js";
import { HueRating } from "./rating.js";
import { HueScores } from "./scores.js";
import { hue } from "./store.js";

const VIEWS = ["rate", "questions", "scores"];

export function HuePage({ opened }) {
  const { study, studies, view } = seen(hue);
  const head = study && {
    title: study.title,
    label: say("hue.views"),
    views: VIEWS,
    view,
    look: (name) => hue.look(name),
    words: (name) => say(`hue.view_${name}`),
  };
  return html`
    <${Columns} class="o-hue" mainFirst=${Boolean(study)} side=${html`<${HueForm} /><${Studies} />`}>
      ${study && html`<${Head} ...${head} />`}
      ${study && view === "rate" && html`<${HueRating} key=${study.id} study=${study} opened=${opened} />`}
      ${study && view === "questions" && html`<${HueBank} key=${study.id} study=${study} />`}
      ${
        study &&
        view === "scores" && [
          html`<${HueScores} key=${study.id} study=${study} />`,
          html`<${HueAnswers} key=${`${study.id} answers`} study=${study} />`,
        ]
      }
      ${!study && studies !== null && html`<${Empty} />`}
    <//>
  `;
}

const Empty = () => html`
  <div class="o-empty">
    <b>${say("hue.empty")}</b>
    <p>${say("hue.empty_hint")}</p>
  </div>
`;

function Studies() {
  const { studies, study } = seen(hue);
  if (!studies?.length) return null;
  return html`
    <${Listed} title=${say("hue.studies")}>
      ${studies.map((each) => html`<${Study} key=${each.id} study=${each} current=${each.id === study?.id} />`)}
    <//>
  `;
}

function Study({ study: { id, title, models, videos, num_questions, num_ratings, tasks }, current }) {
  const says = [
    counted("hue.num_videos", videos.length),
    counted("hue.num_questions", num_questions),
    counted("hue.num_ratings", num_ratings),
  ];
  const running = tasks.some(({ state }) => state === "running");
  const remove = async () => {
    if (await confirmed(say("hue.sure"), say("hue.sure_yes"), say("hue.sure_no"))) hue.remove(id);
  };
  return html`
    <li data-study=${id}>
      <button
        type="button"
        class="o-listed-row"
        aria-current=${current ? "true" : null}
        onClick=${() => hue.choose(id)}
      >
        <b>${title}</b><span>${models.join(" · ")}</span><small>${says.join(" · ")}</small>
      </button>
      ${
        !running &&
        html`<${IconButton} icon="trash" words=${say("hue.remove")} quiet data-do="remove" onClick=${remove} />`
      }
    </li>
  `;
}
