// A new tuning: the task, its data, a preset and the recipe's fields; checked first, or started at once.

import { counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { Choice } from "../parts/choice.js";
import { toast } from "../parts/errors.js";
import { ProgressBar } from "../parts/progress_bar.js";
import { VisionBudget } from "../parts/vision_budget.js";
import { ask } from "../parts/server.js";
import { html, useRef, useSignal } from "../vendor/preact.js";
import { Captions } from "./captions.js";
import { at, Field, fieldsOf, put } from "./fields.js";
import { chosenFiles, droppedFiles, folderName, sendFiles, tidyName } from "./files.js";
import { tuning } from "./store.js";

const TASKS = ["generator", "reasoner", "policy"];

export function NewTuning() {
  const { datasets, schemas, presets, checkpoints, benchmarks } = seen(tuning);
  const chosen = useSignal({
    task: "generator",
    data: "",
    preset: null,
    checkpoint: "",
    name: "",
    all: null,
    evaluates: true,
  });
  const values = useSignal({}); // of the recipe's fields, as a person said them
  const marked = useSignal([]); // benchmarks
  const busy = useSignal(false);
  const { task } = chosen.value;
  const pick = (changes) => {
    chosen.value = { ...chosen.value, ...changes };
  };
  const able = (datasets ?? []).filter(({ tasks }) => tasks.includes(task));
  const data = able.find(({ name }) => name === chosen.value.data) ?? able[0];
  const checkpoint = chosen.value.checkpoint || checkpoints[0]?.id || "";
  const fitting = presets.filter((one) => one.task === task);
  const suggested = fitting.find((one) => one.checkpoints.includes(checkpoint))?.id ?? "";
  const presetId = chosen.value.preset ?? suggested; // null as long as nobody has said
  const preset = fitting.find(({ id }) => id === presetId);
  const all = chosen.value.all ?? preset?.recipe.lora === null;
  const fields = fieldsOf(schemas[task]).filter(({ path }) => path[0] !== "lora" || !all);
  const draw = (list) =>
    list.map(
      (field) => html`
        <${Field}
          key=${field.path.join(".")}
          field=${field}
          values=${values.value}
          usual=${at(preset?.recipe, field.path)}
          set=${(path, value) => {
            values.value = put(values.value, path, value);
          }}
        />
      `,
    );

  async function begin(checks) {
    busy.value = true;
    // A share that a person says changes that of its mode alone.
    const modes = schemas[task].properties.modes?.default;
    const said = mixed({ modes, ...preset?.recipe }, values.value);
    const recipe = {
      ...said,
      task,
      name: chosen.value.name.trim(),
      checkpoint,
      data: task === "reasoner" ? [{ data: data.name }] : data.name,
      ...(all ? { lora: null } : {}),
      ...(task === "reasoner" ? { benchmarks: marked.value } : {}),
    };
    await tuning.begin({ recipe, evaluates_saves: chosen.value.evaluates }, checks);
    busy.value = false;
  }
  const ready = Boolean(data && checkpoint && chosen.value.name.trim()) && !busy.value;
  return html`
    <form
      class="o-card-plain o-stack"
      aria-label=${say("tune.new")}
      onSubmit=${(event) => {
        event.preventDefault();
        begin(true);
      }}
    >
      <h2>${say("tune.new")}</h2>
      <${Choice}
        aria-label=${say("tune.task")}
        mark="data-task"
        options=${TASKS.map((one) => ({ value: one, title: say(`tune.task_${one}`), help: say(`tune.task_${one}_hint`) }))}
        value=${task}
        choose=${(one) => {
          pick({ task: one, preset: null, data: "" });
          values.value = {};
        }}
      />
      <p class="o-hint">${say(`tune.task_${task}_hint`)}</p>
      <${DataSets} able=${able} data=${data} pick=${(name, its) => pick({ data: name, ...(its && its !== task ? { task: its, preset: null } : {}) })} />
      <label>
        <span>${say("tune.checkpoint")}</span>
        <select
          class="o-select"
          name="checkpoint"
          value=${checkpoint}
          onChange=${({ currentTarget }) => pick({ checkpoint: currentTarget.value })}
        >
          ${checkpoints.map(({ id, title }) => html`<option key=${id} value=${id}>${title}</option>`)}
        </select>
      </label>
      <label>
        <span>${say("tune.preset")}</span>
        <select
          class="o-select"
          name="preset"
          value=${presetId}
          onChange=${({ currentTarget }) => pick({ preset: currentTarget.value, all: null })}
        >
          <option value="">${say("tune.no_preset")}</option>
          ${fitting.map(({ id, title }) => html`<option key=${id} value=${id}>${title}</option>`)}
        </select>
      </label>
      ${preset && html`<p class="o-hint" title=${preset.source}>${preset.summary}</p>`}
      <label>
        <span>${say("tune.name")}</span>
        <input
          class="o-select"
          name="name"
          required
          pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*"
          maxlength="64"
          autocomplete="off"
          placeholder=${say("tune.name_example")}
          value=${chosen.value.name}
          onInput=${({ currentTarget }) => pick({ name: currentTarget.value })}
        />
      </label>
      <label>
        <span>${say("tune.learns")}</span>
        <select
          class="o-select"
          name="learns"
          value=${all ? "all" : "lora"}
          onChange=${({ currentTarget }) => pick({ all: currentTarget.value === "all" })}
        >
          <option value="lora">${say("tune.learns_lora")}</option>
          <option value="all">${say("tune.learns_all")}</option>
        </select>
      </label>
      <div class="o-fields">${draw(fields.filter(({ first }) => first))}</div>
      ${task === "reasoner" && html`<${VisionBudget} checkpoint=${checkpoint} look=${lookOf({ ...preset?.recipe, ...values.value })} />`}
      <details>
        <summary>${say("tune.more")}</summary>
        <div class="o-fields">${draw(fields.filter(({ first }) => !first))}</div>
      </details>
      ${
        task === "reasoner" &&
        benchmarks.length > 0 &&
        html`
          <fieldset>
            <legend>${say("tune.benchmarks")}</legend>
            ${benchmarks.map(
              ({ name, title }) => html`
                <label key=${name}>
                  <input
                    type="checkbox"
                    checked=${marked.value.includes(name)}
                    onChange=${({ currentTarget }) => {
                      const others = marked.value.filter((one) => one !== name);
                      marked.value = currentTarget.checked ? [...others, name] : others;
                    }}
                  />
                  <span>${title}</span>
                </label>
              `,
            )}
          </fieldset>
        `
      }
      <label title=${say("tune.evaluates_hint")}>
        <span>${say("tune.evaluates")}</span>
        <input
          type="checkbox"
          role="switch"
          class="o-switch"
          name="evaluates"
          checked=${chosen.value.evaluates}
          onChange=${({ currentTarget }) => pick({ evaluates: currentTarget.checked })}
        />
      </label>
      <div class="o-acts">
        <button type="submit" class="o-btn o-primary o-go" data-hot="submit" data-do="check" disabled=${!ready}>
          ${say("tune.check")}
        </button>
        <button type="button" class="o-btn" data-do="start" disabled=${!ready} onClick=${() => begin(false)}>
          ${say("tune.start")}
        </button>
      </div>
    </form>
  `;
}

const lookOf = ({ num_frames, fps, min_pixels, max_pixels, max_tokens = 4096 }) => ({
  num_frames,
  fps,
  min_pixels,
  max_pixels,
  max_tokens,
});

function DataSets({ able, data, pick }) {
  const folder = useRef(null);
  const sending = useSignal(null); // [done, total]
  const over = useSignal(false);

  async function add(name, files) {
    const tidy = tidyName(name);
    try {
      await sendFiles(tidy, files, (done, total) => {
        sending.value = [done, total];
      });
      const found = await ask("GET", `/v1/datasets/${tidy}`);
      await tuning.fetch();
      if (found) {
        const layout = say(`tune.layout_${found.layout}`);
        toast(counted("tune.added", found.num_files, { name: tidy, layout }), found.note);
        pick(tidy, found.tasks[0]);
      }
    } catch (error) {
      toast(error.message, error.hint ?? "", "bad");
    }
    sending.value = null;
  }
  const drop = async (event) => {
    event.preventDefault();
    over.value = false;
    const { name, files } = await droppedFiles(event.dataTransfer);
    add(name || say("tune.unnamed"), files);
  };
  return html`
    <label>
      <span>${say("tune.data")}</span>
      <select class="o-select" name="data" value=${data?.name ?? ""} onChange=${({ currentTarget }) => pick(currentTarget.value)}>
        ${!data && html`<option value="">${say("tune.no_data")}</option>`}
        ${able.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
    </label>
    ${data && html`<p class="o-hint">${[say(`tune.layout_${data.layout}`), counted("tune.files", data.num_files), data.note].filter(Boolean).join(" · ")}</p>`}
    ${data && html`<${Captions} data=${data} pick=${pick} />`}
    <div
      class="o-tune-drop"
      data-over=${over.value ? "true" : null}
      onDragOver=${(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave=${() => {
        over.value = false;
      }}
      onDrop=${drop}
    >
      ${
        sending.value
          ? html`
              <small role="status">${say("tune.sending", { done: sending.value[0], total: sending.value[1] })}</small>
              <${ProgressBar}
                percent=${Math.round((100 * sending.value[0]) / sending.value[1])}
                aria-label=${say("tune.sending_label")}
              />
            `
          : html`
              <small>${say("tune.drop")}</small>
              <button type="button" class="o-btn" data-do="folder" onClick=${() => folder.current.click()}>
                ${say("tune.choose_folder")}
              </button>
            `
      }
      <input
        ref=${folder}
        type="file"
        hidden
        multiple
        webkitdirectory
        aria-label=${say("tune.choose_folder")}
        onChange=${({ target }) => {
          if (target.files.length) add(folderName(target.files), chosenFiles(target.files));
          target.value = "";
        }}
      />
    </div>
  `;
}

/** Fields of both, of nested ones likewise; the second says what holds. */
function mixed(under, over) {
  const isGroup = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [low, high] = [under[name], over[name]];
      return [name, isGroup(low) && isGroup(high) ? mixed(low, high) : high === undefined ? low : high];
    }),
  );
}
