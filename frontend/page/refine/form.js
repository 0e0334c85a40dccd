// What is to be refined: words, what it starts from, size, how many candidates and rounds, and who takes each role.

import { say } from "../data/facts.js";
import { live } from "../data/live.js";
import { Choice } from "../parts/choice.js";
import { MediaInput } from "../media/media_input.js";
import { refining } from "./store.js";
import { ask } from "../parts/server.js";
import { seen } from "../data/store.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";

const KINDS = ["generate_image", "generate_video"];
const ROLES = ["upsampler", "critic", "rewriter"];
const LISTS = {
  resolution: ["256", "480", "720", "768"],
  aspect_ratio: ["16:9", "4:3", "1:1", "3:4", "9:16"],
};
const LIMITS = {
  steps: { min: 1, max: 1000 },
  seed: { min: 0, max: 4294967295 },
  frames: { min: 5, max: 400, step: 4 },
  candidates: { min: 1, max: 8 },
  rewrites: { min: 0, max: 8 },
  enough: { min: 0, max: 10, step: 0.5 },
  seconds: { min: 1 },
  tokens: { min: 1 },
};
const shapeOf = (kind) => (kind === "generate_video" ? "16:9" : "1:1");
const FRESH = {
  kind: "generate_image",
  prompt: "",
  start_image: null,
  resolution: "256",
  aspect_ratio: shapeOf("generate_image"),
  candidates: 1,
  rewrites: 2,
  enough: 9,
  ...Object.fromEntries(ROLES.map((role) => [role, "server"])),
};

export function RefineForm({ tree }) {
  const form = useRef(null);
  const words = useRef(null);
  const values = useSignal(FRESH);
  const choices = useSignal({}); // field → what the checkpoint says of each value
  const sending = useSignal(false);
  const set = (changes) => {
    values.value = { ...values.value, ...changes };
  };
  const become = (kind) => set({ kind, aspect_ratio: shapeOf(kind) });
  const { endpoints } = seen(refining);
  const { status, state } = seen(live);
  const served = state.system.checkpoint?.id;
  const { kind, start_image: start } = values.value;
  const isClip = kind === "generate_video";

  useEffect(() => {
    const used = new URLSearchParams(location.search).get("use");
    // What made a result of the library.
    if (used)
      ask("GET", `/v1/library/${encodeURIComponent(used)}`).then(
        (item) => KINDS.includes(item?.request?.kind) && set(recalled(item.request)),
      );
    document.addEventListener("o-files", ({ detail }) => {
      become("generate_video");
      form.current.querySelector("[data-takes]").dispatchEvent(new CustomEvent("o-file", { detail: detail[0] }));
    });
  }, []);
  // What is shown was asked for like this; what somebody has begun to write stays.
  useEffect(() => {
    if (tree && !values.value.prompt) set({ ...recalled(tree.request.generate), ...loopOf(tree.request) });
  }, [tree?.id]);
  useEffect(() => {
    if (!served || status !== "open") return;
    let isLatest = true;
    fetch(`/v1/choices/${kind}`)
      .then((reply) => (reply.ok ? reply.json() : null))
      .catch(() => null)
      .then((answer) => {
        if (isLatest && answer) choices.value = answer.choices;
      });
    return () => {
      isLatest = false;
    };
  }, [served, status, kind]);

  // What this checkpoint cannot make is shown, and says why; what was chosen and cannot be made gives way to what can.
  const refusal = (name, value) => choices.value[name]?.find((choice) => String(choice.value) === value)?.refused;
  const settled = (name) =>
    (refusal(name, values.value[name]) && LISTS[name].find((value) => !refusal(name, value))) || values.value[name];

  async function send(event) {
    event.preventDefault();
    const wrong = !values.value.prompt.trim()
      ? words.current
      : [...form.current.elements].find((each) => each.willValidate && !each.checkValidity());
    if (wrong) return pointOut(wrong);
    sending.value = true;
    const [resolution, aspect_ratio] = [settled("resolution"), settled("aspect_ratio")];
    await refining.begin(requestOf({ ...values.value, resolution, aspect_ratio }));
    sending.value = false;
  }

  const written = (name) => ({
    name,
    value: values.value[name] ?? "",
    onInput: ({ target }) => set({ [name]: target.value }),
  });
  const number = (name) => html`
    <${Labelled} name=${name}>
      <input
        type="number"
        class="o-select"
        step="1"
        placeholder=${say(`unsaid.${name}`)}
        ...${LIMITS[name]}
        ...${written(name)}
      />
    <//>
  `;
  const list = (name) => html`
    <${Labelled} name=${name}>
      <select class="o-select" ...${written(name)} value=${settled(name)}>
        ${LISTS[name].map((value) => {
          const why = refusal(name, value);
          return html`<option value=${value} disabled=${Boolean(why)} title=${why?.message ?? why}>
            ${name === "resolution" ? `${value}p` : value}
          </option>`;
        })}
      </select>
    <//>
  `;
  // An endpoint that this server does not know cannot be chosen, and says so.
  const role = (name) => html`
    <${Labelled} name=${name}>
      <select class="o-select" ...${written(name)}>
        <option value="server">${say("answerer.server")}</option>
        <option value="resident">${say("answerer.resident")}</option>
        <option value="endpoint" disabled=${!endpoints[name]}>
          ${endpoints[name] ? say("answerer.at", { address: endpoints[name] }) : say("answerer.none")}
        </option>
      </select>
    <//>
  `;
  return html`
    <form ref=${form} class="o-card-plain o-stack" noValidate onSubmit=${send}>
      <label>
        <span>${say("refine.prompt")}</span>
        <textarea
          ref=${words}
          id="refine-prompt"
          class="o-select"
          rows="4"
          data-hot="words"
          placeholder=${say("refine.prompt_hint")}
          ...${written("prompt")}
        />
      </label>
      <${Choice}
        aria-label=${say("refine.what")}
        mark="data-kind"
        options=${KINDS.map((each) => ({ value: each, title: say(`refine.${each}`) }))}
        value=${kind}
        choose=${become}
      />
      <div hidden=${!isClip}>
        <${MediaInput}
          types=${["image"]}
          title=${say("refine.start")}
          empty=${say("refine.start_empty")}
          id=${start}
          picked=${({ id }) => set({ start_image: id })}
          cleared=${() => set({ start_image: null })}
          small
        />
      </div>
      <div class="o-fields">
        ${["resolution", "aspect_ratio"].map(list)}
        ${["steps", "seed", ...(isClip ? ["frames"] : [])].map(number)}
      </div>
      <div class="o-fields">${["candidates", "rewrites", "enough"].map(number)}</div>
      <details>
        <summary>${say("refine.more")}</summary>
        <div class="o-fields">${["seconds", "tokens"].map(number)}${ROLES.map(role)}</div>
        <p class="o-hint">${say("refine.roles_hint")}</p>
      </details>
      <button type="submit" class="o-btn o-primary o-go" data-hot="submit" disabled=${sending.value}>
        ${say("refine.go")}
      </button>
    </form>
  `;
}

const Labelled = ({ name, children }) => html`<label><span>${say(`field.${name}`)}</span>${children}</label>`;

/** Mark a field that was filled in wrongly or not at all until something is written into it, and go there. */
export function pointOut(field) {
  field.setAttribute("aria-invalid", "true");
  field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
  field.closest("details")?.setAttribute("open", "");
  field.focus();
}

// As far as the form has fields for it; a caption is written anew from its words.
function recalled({ kind, prompt, written_from, resolution, aspect_ratio, sampling, num_frames, start_image }) {
  return {
    kind,
    prompt: written_from || prompt,
    resolution,
    aspect_ratio,
    steps: sampling.num_inference_steps,
    seed: sampling.seed,
    ...(kind === "generate_video" ? { frames: num_frames, ...(start_image ? { start_image } : {}) } : {}),
  };
}

const loopOf = (asked) => ({
  candidates: asked.num_candidates,
  rewrites: asked.max_rewrites,
  enough: asked.good_enough,
  seconds: asked.budget_s ?? "",
  tokens: asked.budget_tokens ?? "",
  ...Object.fromEntries(ROLES.map((role) => [role, asked[role]])),
});

function requestOf({ kind, prompt, resolution, aspect_ratio, start_image, ...values }) {
  const count = (name) => ((values[name] ?? "") === "" ? undefined : Number(values[name]));
  const seed = count("seed") ?? Math.floor(Math.random() * 2 ** 32 - 8);
  const sampling = said({ num_inference_steps: count("steps"), seed });
  const clip = kind === "generate_video" ? said({ start_image, num_frames: count("frames") }) : {};
  return said({
    generate: { kind, prompt, resolution, aspect_ratio, sampling, ...clip },
    num_candidates: count("candidates"),
    max_rewrites: count("rewrites"),
    good_enough: count("enough"),
    budget_s: count("seconds"),
    budget_tokens: count("tokens"),
    ...Object.fromEntries(ROLES.map((role) => [role, values[role]])),
  });
}

const said = (fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
