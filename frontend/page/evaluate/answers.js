// The answers one by one: what was shown and asked, what each run said, and what it is worth.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { AnswerList, Medium, PAGE } from "../parts/answer_list.js";
import { ask } from "../parts/server.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";
import { figure, titleOfMetric } from "./figures.js";
import { Boundaries, TIMED } from "./corrections.js";
import { AnnotationEditor } from "./editor.js";
import { Generated } from "./generated.js";
import { evaluation } from "./store.js";
import { Timeline } from "./timeline.js";

const STATES = ["", "read", "unparsed", "failed"];
const ANY = "";

// What is drawn may be of other runs than those that are shown now: it is drawn again when the answers have come.
export function Answers({ runs }) {
  const { scores, fetched } = seen(evaluation);
  const category = useSignal(ANY);
  const state = useSignal(ANY);
  const order = useSignal("items");
  const count = useSignal(PAGE);
  const found = useSignal(null); // { total, schema, items: [{ item, of: [answered item of each run] }] }
  const [first, second] = runs;
  const now = JSON.stringify([fetched, runs.map(({ id }) => id), runs.map((run) => scores[run.id]?.overall.counts)]);

  useEffect(() => {
    let current = true;
    draw(runs, {
      category: category.value,
      state: state.value,
      order: second ? order.value : "items",
      count: count.value,
    }).then((drawn) => {
      if (current && drawn) found.value = drawn;
    });
    return () => {
      current = false;
    };
  }, [now, category.value, state.value, order.value, count.value]);

  const categories = scores[first.id]?.categories.map(({ name }) => name) ?? [];
  const filter = (name, options, signal, words) => ({ name: say(`evaluate.by_${name}`), options, signal, words });
  const filters = [
    categories.length > 1 &&
      filter("category", [ANY, ...categories], category, (name) => name || say("evaluate.all_categories")),
    filter("state", STATES, state, (name) => say(`evaluate.mark_${name || "all"}`)),
    second && filter("order", ["items", "changes"], order, (name) => say(`evaluate.order_${name}`)),
  ];
  const drawn = found.value;
  return html`
    <${AnswerList}
      title=${say("evaluate.answers")}
      beside=${!second && TIMED.includes(first.form) && html`<${Boundaries} run=${first} />`}
      filters=${filters.filter(Boolean)}
      count=${count}
      found=${drawn && { total: drawn.total, shown: drawn.items.length }}
      nothing=${say("evaluate.no_answers")}
      more=${(left) => counted("evaluate.more", left)}
    >
      ${drawn?.items.map(({ item, of }) => html`<${Asked} key=${item.id} item=${item} of=${of} runs=${runs} schema=${drawn.schema} />`)}
    <//>
  `;
}

async function draw(runs, { category, state, order, count }) {
  const query = new URLSearchParams({ category, state, limit: String(count) });
  const whole = new URLSearchParams({ category, limit: "200" });
  const changed = order === "changes" && (await ask("GET", `/v1/runs/${runs[0].id}/changes?after=${runs[1].id}`));
  const pages = await Promise.all(
    runs.map(({ id }, at) => ask("GET", `/v1/runs/${id}/answers?${at || changed ? whole : query}`)),
  );
  if (pages.some((page) => !page)) return null;
  const byItem = pages.map(({ items }) => new Map(items.map((one) => [one.item.id, one])));
  const ids = changed ? changed.map(({ item }) => item) : pages[0].items.map(({ item }) => item.id);
  const known = ids.filter((id) => byItem[0].has(id));
  return {
    schema: pages[0].annotation,
    total: changed ? known.length : pages[0].total,
    items: known.slice(0, count).map((id) => ({
      item: byItem[0].get(id).item,
      of: byItem.map((items) => items.get(id) ?? null),
    })),
  };
}

function Asked({ item, of, runs, schema }) {
  const timed = of.some((one) => one?.boundaries);
  if (item.request) return html`<${Generated} item=${item} of=${of} runs=${runs} />`;
  return html`
    <li data-item=${item.id} data-wide=${timed ? "" : null} data-edited=${schema ? "" : null}>
      ${
        timed
          ? html`<${Timeline} item=${item} of=${of} runs=${runs} />`
          : html`<div class="o-evaluate-media">${item.media.map((id) => html`<${Medium} key=${id} id=${id} label=${say("evaluate.play")} />`)}</div>`
      }
      ${schema && html`<${AnnotationEditor} item=${item} of=${of} runs=${runs} schema=${schema} />`}
      <div class="o-evaluate-said">
        <p class="o-evaluate-question">${item.question || item.events.join(" · ")}</p>
        ${
          item.choices &&
          html`<ul role="list" class="o-evaluate-choices">
            ${Object.entries(item.choices).map(
              ([letter, words]) => html`
                <li data-right=${letter === item.reference ? "" : null}>
                  ${letter}. ${words}${letter === item.reference && html` <small>${say("evaluate.right")}</small>`}
                </li>
              `,
            )}
          </ul>`
        }
        ${!item.choices && !timed && !schema && item.reference !== null && html`<p><small>${say("evaluate.truth")}</small> ${readableOf(item.reference)}</p>`}
        <div class="o-evaluate-runs-said">
          ${of.map((one, at) => one && runs[at] && html`<${Said} key=${runs[at].id} run=${runs[at]} answered=${one} named=${runs.length > 1} />`)}
        </div>
      </div>
    </li>
  `;
}

function Said({ run, answered: { answers, marks }, named }) {
  return html`
    <div data-run=${run.id}>
      ${named && html`<b>${run.title}</b>`}
      ${answers.map((answer, at) => {
        const mark = marks.find(({ trial }) => trial === answer.trial);
        const values = Object.entries(mark?.values ?? {}).map(
          ([metric, value]) => `${titleOfMetric(metric)} ${figure(metric, value)}`,
        );
        const verdicts = (mark?.verdicts ?? []).map(
          ({ field, judge, score, why }) => `${field || judge}: ${score ?? "–"}/5 ${why}`,
        );
        return html`
          <div key=${at} class="o-evaluate-answer" data-state=${mark?.state}>
            <pre tabindex="0">${answer.text || answer.error?.message}</pre>
            <small>
              ${[mark && say(`evaluate.mark_${mark.state}`), mark?.why, ...values, ...verdicts].filter(Boolean).join(" · ")}
            </small>
          </div>
        `;
      })}
      ${answers.length === 0 && html`<p class="o-hint">${say("evaluate.not_asked")}</p>`}
    </div>
  `;
}

const readableOf = (reference) => (typeof reference === "string" ? reference : JSON.stringify(reference));
