// Blind A/B: a new test and the tests at the left; of the one that is looked at the judging, new pairs and the scores.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Columns, Head, Listed } from "../parts/columns.js";
import { IconButton } from "../parts/icons.js";
import { confirmed } from "../parts/sure.js";
import { html, useSignal } from "../vendor/preact.js";
import { BlindPairForm } from "./adding.js";
import { BlindJudging } from "./judging.js";
import { BlindScores } from "./scores.js";
import { blind } from "./store.js";

const VIEWS = { judge: BlindJudging, add: BlindPairForm, scores: BlindScores };

export function BlindPage() {
  const { test, tests, view } = seen(blind);
  const head = test && {
    title: test.title,
    label: say("blind.views"),
    views: Object.keys(VIEWS),
    view,
    look: (name) => blind.look(name),
    words: (name) => say(`blind.view_${name}`),
  };
  return html`
    <${Columns} class="o-hue o-blind" mainFirst=${Boolean(test)} side=${html`<${NewTest} /><${Tests} />`}>
      ${test && html`<${Head} ...${head} />`}
      ${test && html`<${VIEWS[view]} key=${`${test.id} ${view}`} test=${test} />`}
      ${!test && tests !== null && html`<${Empty} />`}
    <//>
  `;
}

const Empty = () => html`
  <div class="o-empty">
    <b>${say("blind.empty")}</b>
    <p>${say("blind.empty_hint")}</p>
  </div>
`;

function NewTest() {
  const chosen = useSignal({ title: "", one: "", other: "", seed: "0" });
  const busy = useSignal(false);
  const { title, one, other, seed } = chosen.value;
  async function create(event) {
    event.preventDefault();
    busy.value = true;
    const asked = { title, policies: [one.trim(), other.trim()], seed: Math.max(0, Math.round(Number(seed) || 0)) };
    if (await blind.create(asked)) chosen.value = { title: "", one: "", other: "", seed: "0" };
    busy.value = false;
  }
  const field = (name, hint, more = {}) => html`
    <label>
      <span>${say(`blind.${name}`)}</span>
      <input
        class="o-select"
        name=${name}
        maxlength="200"
        autocomplete="off"
        placeholder=${hint && say(hint)}
        value=${chosen.value[name]}
        onInput=${({ currentTarget }) => {
          chosen.value = { ...chosen.value, [name]: currentTarget.value };
        }}
        ...${more}
      />
    </label>
  `;
  return html`
    <form class="o-card-plain o-stack" aria-label=${say("blind.new")} onSubmit=${create}>
      <h2>${say("blind.new")}</h2>
      ${field("title", "blind.title_hint")}
      ${field("one", "blind.policy_hint", { required: true })}
      ${field("other", "blind.policy_hint", { required: true })}
      ${field("seed", "", { type: "number", min: "0", step: "1" })}
      <div class="o-acts">
        <button type="submit" class="o-btn o-primary" disabled=${busy.value || !one.trim() || !other.trim()}>
          ${say("blind.create")}
        </button>
      </div>
    </form>
  `;
}

function Tests() {
  const { tests, test } = seen(blind);
  if (!tests?.length) return null;
  return html`
    <${Listed} title=${say("blind.tests")}>
      ${tests.map((each) => html`<${Test} key=${each.id} test=${each} current=${each.id === test?.id} />`)}
    <//>
  `;
}

/** Without the policies: who judges does not see them until the scores. */
function Test({ test: { id, title, num_pairs: pairs, num_verdicts: verdicts }, current }) {
  const remove = async () => {
    if (await confirmed(say("blind.sure"), say("blind.sure_yes"), say("blind.sure_no"))) blind.remove(id);
  };
  return html`
    <li data-test=${id}>
      <button
        type="button"
        class="o-listed-row"
        aria-current=${current ? "true" : null}
        onClick=${() => blind.choose(id)}
      >
        <b>${title}</b>
        <small>${counted("blind.num_pairs", pairs)} · ${counted("blind.num_verdicts", verdicts)}</small>
      </button>
      <${IconButton} icon="trash" words=${say("blind.remove")} quiet data-do="remove" onClick=${remove} />
    </li>
  `;
}
