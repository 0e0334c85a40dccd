// A new comparison: rows of prompts, recipes and ground truths; checkpoints and values as columns.

import { sentenceOf } from "../data/captions.js";
import { Axes, FIRST_AXES, faultOf, valuesOf } from "./axes.js";
import { Cost } from "./cost.js";
import { promptsIn } from "./prompt_list.js";
import { counted, say } from "../data/facts.js";
import { promptsOf } from "../form/wildcards.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { pickFromLibrary } from "../media/library_picker.js";
import { Icon, IconButton } from "../parts/icons.js";
import { Choice } from "../parts/choice.js";
import { toast } from "../parts/errors.js";
import { askJson, useAnswer } from "../parts/server.js";
import { html, useRef, useSignal } from "../vendor/preact.js";

const KINDS = ["generate_image", "generate_video"];
const STARTS = ["t2v", "i2v", "v2v"];

export function CompareForm() {
  const prompts = useSignal("");
  const kind = useSignal("generate_video");
  const rows = useSignal([]); // { item, truth, caption }
  const chosen = useSignal(null); // ids of checkpoints, once somebody has chosen
  const axes = useSignal(FIRST_AXES);
  const busy = useSignal(false);
  const file = useRef(null);

  const { seq, state } = seen(live);
  const states = Object.entries(state.system.checkpoints ?? {}).map((entry) => [entry[0], entry[1].state]);
  const found = useAnswer("/v1/checkpoints", seq >= 0 && JSON.stringify(states));
  const checkpoints = found?.checkpoints.filter(({ installed, state: own }) => installed || own === "ready") ?? [];
  const isTicked = ({ id, active }) => chosen.value?.includes(id) ?? active;
  const ticked = checkpoints.filter(isTicked).map(({ id }) => id);

  const asked = {
    subjects: [
      ...linesOf(prompts.value)
        .flatMap(promptsOf)
        .map((prompt) => ({ request: { kind: kind.value, prompt } })),
      ...rows.value.map(subjectOf),
    ],
    axes: { ...(ticked.length ? { checkpoint: ticked } : {}), ...valuesOf(axes.value) },
  };
  const numRows = asked.subjects.reduce((sum, { starts }) => sum + (starts?.length ?? 1), 0);
  const numColumns = Object.values(asked.axes).reduce((product, values) => product * values.length, 1);
  const numCells = numRows * numColumns;
  const untold = rows.value.some(({ truth, caption }) => truth && !caption.trim());

  async function add(truth) {
    const item = await pickFromLibrary(truth ? ["video"] : ["image", "video"]);
    if (item) rows.value = [...rows.value, { item, truth, caption: item.prompt ?? "" }];
  }

  async function read(list) {
    if (!list) return;
    try {
      const found = promptsIn(list.name, await list.text());
      prompts.value = [...linesOf(prompts.peek()), ...found].join("\n");
      toast(counted("compare.read", found.length, { name: list.name }));
    } catch (error) {
      toast(say("compare.unread", { name: list.name }), say("compare.unread_line", { line: error.message }), "bad");
    }
  }

  async function send() {
    busy.value = true;
    const answer = await askJson("POST", "/v1/comparisons", asked);
    if (answer) location.assign(`/compare?id=${answer.id}`);
    else busy.value = false;
  }

  return html`
    <o-compare-form role="form" class="o-card-plain o-stack" aria-label=${say("compare.form")}>
      <h2>${say("compare.form")}</h2>
      <label>
        <span>${say("compare.prompts")} <small class="o-hint">${say("compare.prompts_hint")}</small></span>
        <textarea
          id="compare-prompts"
          class="o-select"
          rows="4"
          value=${prompts.value}
          onInput=${({ currentTarget }) => (prompts.value = currentTarget.value)}
        />
      </label>
      <div class="o-acts">
        <${IconButton}
          icon="upload"
          words=${say("compare.read_file")}
          title=${say("compare.read_hint")}
          data-do="read-prompts"
          onClick=${() => file.current.click()}
        />
        <input
          ref=${file}
          type="file"
          accept=".txt,.csv,.jsonl"
          hidden
          aria-label=${say("compare.read_file")}
          onChange=${({ target }) => {
            read(target.files[0]);
            target.value = "";
          }}
        />
        <${IconButton}
          icon="search"
          words=${say("compare.add_item")}
          data-do="add-item"
          onClick=${() => add(false)}
        />
        <${IconButton} icon="play" words=${say("compare.add_truth")} data-do="add-truth" onClick=${() => add(true)} />
      </div>
      ${
        rows.value.length > 0 &&
        html`<ul role="list" class="o-compare-rows" aria-label=${say("compare.rows")}>
          ${rows.value.map(
            (row, index) => html`<${Row}
              ...${row}
              describe=${(caption) => (rows.value = rows.value.with(index, { ...rows.value[index], caption }))}
              remove=${() => (rows.value = rows.value.toSpliced(index, 1))}
            />`,
          )}
        </ul>`
      }
      <fieldset>
        <legend id="compare-kind">${say("compare.kind")}</legend>
        <${Choice}
          aria-labelledby="compare-kind"
          mark="data-kind"
          options=${KINDS.map((name) => ({ value: name, title: say(`compare.kind_${name}`) }))}
          value=${kind.value}
          choose=${(name) => (kind.value = name)}
        />
      </fieldset>
      <fieldset class="o-compare-checkpoints">
        <legend>${say("compare.checkpoints")}</legend>
        ${checkpoints.map(
          (entry) => html`
            <label key=${entry.id}>
              <input
                type="checkbox"
                value=${entry.id}
                checked=${isTicked(entry)}
                onChange=${({ currentTarget: { checked } }) =>
                  (chosen.value = [
                    ...(chosen.peek() ?? ticked).filter((id) => id !== entry.id),
                    ...(checked ? [entry.id] : []),
                  ])}
              />
              <span>${entry.title}</span><small>${entry.weights_gb ? `${entry.weights_gb} GB` : ""}</small>
            </label>
          `,
        )}
        ${
          found &&
          html`<p class="o-hint">
            ${say(checkpoints.length < 2 ? "compare.no_other" : "compare.checkpoints_hint")}
          </p>`
        }
      </fieldset>
      <${Axes} rows=${axes.value} change=${(become) => (axes.value = become(axes.peek()))} />
      <div class="o-compare-foot">
        <button
          type="button"
          class="o-btn o-primary o-go"
          data-hot="submit"
          data-do="compare"
          disabled=${busy.value || numCells === 0 || untold || axes.value.some(faultOf)}
          onClick=${send}
        >
          ${say("compare.go")}
        </button>
        <span class="o-hint" role="status">
          ${
            numCells
              ? counted("compare.cells", numCells, { rows: numRows, columns: numColumns })
              : say("compare.nothing")
          }
        </span>
        <${Cost} ...${asked} cells=${numCells} memory=${memoryOf(checkpoints, ticked)} />
      </div>
    </o-compare-form>
  `;
}

const linesOf = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** GB that the largest of them takes in memory; null where none of them says. */
function memoryOf(checkpoints, ids) {
  const sizes = checkpoints.filter(({ id, needed_gb: gb }) => gb && ids.includes(id)).map(({ needed_gb: gb }) => gb);
  return sizes.length ? Math.max(...sizes) : null;
}

/**
 * What is sent of one; a ground truth is a row for each of its starts.
 *
 * @returns {any}
 */
function subjectOf({ item, truth, caption }) {
  if (!truth) return { item: item.id };
  const request = { kind: "generate_video", prompt: caption };
  return { label: caption.slice(0, 300), reference: item.id, starts: STARTS, request };
}

function Row({ item, truth, caption, describe, remove }) {
  const name = item.title || sentenceOf(item.prompt) || item.id;
  const words = say("compare.caption", { name });
  return html`
    <li>
      <img alt="" src=${item.thumbnail_url} />
      <span class="o-compared-said">
        ${
          truth
            ? html`<input
              class="o-select"
              value=${caption}
              aria-label=${words}
              placeholder=${words}
              onInput=${({ currentTarget }) => describe(currentTarget.value)}
            />`
            : html`<b>${name}</b>`
        }
        <small>${say(truth ? "compare.truth" : "compare.again")}</small>
      </span>
      <button type="button" class="o-btn o-quiet" aria-label=${say("compare.remove", { name })} onClick=${remove}>
        <${Icon} name="close" />
      </button>
    </li>
  `;
}
