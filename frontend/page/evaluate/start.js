// A new run: what is answered, by whom, and how; and benchmarks from files.

import { counted, say } from "../data/facts.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { toast } from "../parts/errors.js";
import { IconButton } from "../parts/icons.js";
import { VisionBudget } from "../parts/vision_budget.js";
import { html, useRef, useSignal } from "../vendor/preact.js";
import { addBenchmark } from "./files.js";
import { AdapterField, generatorSettings } from "./generator.js";
import { evaluation } from "./store.js";

// An answer takes its share of the checkpoint's context.
const lookOf = ({ num_frames, fps, min_pixels, max_pixels, max_tokens: answer_tokens }) => ({
  num_frames,
  fps,
  min_pixels,
  max_pixels,
  answer_tokens,
});

export function StartForm() {
  const { benchmarks, reasoners } = seen(evaluation);
  const chosen = useSignal({
    benchmark: "",
    reasoner: "",
    items: "",
    trials: "",
    temperature: "",
    adapter: "",
    steps: "",
  }); // by field
  const busy = useSignal(false);
  const file = useRef(null);
  const set = (name) => (event) => {
    chosen.value = { ...chosen.value, [name]: event.currentTarget.value };
  };
  const benchmark = benchmarks?.find(({ id }) => id === chosen.value.benchmark) ?? benchmarks?.[0];
  const settings = benchmark?.settings ?? {};
  const { reasoner } = chosen.value;
  const driven = benchmark?.form === "policy";
  const made = benchmark?.form === "generation"; // by a checkpoint, which no endpoint is
  const { checkpoint: active } = seen(live).state.system;
  const takesAdapter = !reasoners.find(({ name }) => name === reasoner)?.endpoint;

  async function start(event) {
    event.preventDefault();
    busy.value = true;
    const { items, trials, temperature } = chosen.value;
    await evaluation.begin({
      benchmark: benchmark.id,
      reasoner: reasoner || null,
      num_items: items ? Number(items) : null,
      settings: {
        ...(trials ? { trials: Number(trials) } : {}),
        ...(temperature && !made ? { temperature: Number(temperature) } : {}),
        ...(made ? generatorSettings(chosen.value, settings) : {}),
      },
      ...(takesAdapter && chosen.value.adapter ? { adapter: { name: chosen.value.adapter } } : {}),
    });
    busy.value = false;
  }
  async function add(files) {
    if (!files.length) return;
    busy.value = true;
    try {
      const added = await addBenchmark([...files]);
      chosen.value = { ...chosen.value, benchmark: added.id };
      const words = added.form === "generation" ? "evaluate.requests_added" : "evaluate.added";
      toast(counted(words, added.num_items, { name: added.title }));
      await evaluation.fetch();
    } catch (error) {
      toast(error.message, error.hint ?? "", "bad");
    }
    busy.value = false;
  }
  const number = (name, placeholder, more = {}) => html`
    <label>
      <span>${say(`evaluate.${name}`)}</span>
      <input
        class="o-select o-num"
        type="number"
        min="1"
        name=${name}
        placeholder=${placeholder}
        value=${chosen.value[name]}
        onInput=${set(name)}
        ...${more}
      />
    </label>
  `;
  return html`
    <form class="o-card-plain o-stack" aria-label=${say("evaluate.new")} onSubmit=${start}>
      <h2>${say("evaluate.new")}</h2>
      <label>
        <span>${say("evaluate.benchmark")}</span>
        <select class="o-select" name="benchmark" value=${benchmark?.id ?? ""} onChange=${set("benchmark")}>
          ${!benchmark && html`<option value="">${say("evaluate.none")}</option>`}
          ${benchmarks?.map(({ id, title }) => html`<option key=${id} value=${id}>${title}</option>`)}
        </select>
      </label>
      ${
        benchmark &&
        html`<p class="o-hint">
          ${[
            counted(made ? "evaluate.num_requests" : "evaluate.num_items", benchmark.num_items),
            say(`evaluate.form_${benchmark.form}`),
            benchmark.description,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>`
      }
      ${
        driven
          ? html`<p class="o-hint">${say("evaluate.driven")}</p>`
          : html`
              <label>
                <span>${say(made ? "evaluate.checkpoint" : "evaluate.reasoner")}</span>
                <select class="o-select" name="reasoner" value=${reasoner} onChange=${set("reasoner")}>
                  <option value="">${say("evaluate.default_reasoner")}</option>
                  ${reasoners
                    .filter(({ endpoint }) => !(made && endpoint))
                    .map(({ name, title }) => html`<option key=${name} value=${name}>${title}</option>`)}
                </select>
              </label>
              <div class="o-fields" data-columns="3">
                ${number("items", benchmark?.num_items ?? "", { max: benchmark?.num_items })}
                ${number("trials", settings.trials ?? 1, { max: 100 })}
                ${
                  made
                    ? number("steps", settings.request?.sampling?.num_inference_steps ?? "", { max: 1000 })
                    : number("temperature", settings.temperature ?? 0, { min: 0, max: 2, step: 0.1 })
                }
              </div>
              ${
                takesAdapter &&
                !made &&
                benchmark &&
                html`<${VisionBudget} checkpoint=${reasoner || active?.id || ""} look=${lookOf(settings)} />`
              }
              ${takesAdapter && html`<${AdapterField} adapter=${chosen.value.adapter} onAdapter=${set("adapter")} />`}
            `
      }
      <div class="o-acts">
        <button type="submit" class="o-btn o-primary o-go" data-hot="submit" disabled=${busy.value || !benchmark || driven}>
          ${say("evaluate.start")}
        </button>
        <${IconButton}
          icon="upload"
          words=${say("evaluate.add")}
          title=${say("evaluate.add_hint")}
          type="button"
          data-do="add-benchmark"
          onClick=${() => file.current.click()}
        />
        <input
          ref=${file}
          type="file"
          hidden
          multiple
          aria-label=${say("evaluate.add")}
          onChange=${({ target }) => {
            add(target.files).finally(() => {
              target.value = "";
            });
          }}
        />
      </div>
    </form>
  `;
}
