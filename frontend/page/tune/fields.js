// A form from a recipe's JSON Schema: a control for each field that is a number, a word or a switch.

import { say } from "../data/facts.js";
import { html } from "../vendor/preact.js";

const LEFT_OUT = new Set(["task", "name", "checkpoint", "data", "lora", "optimisation", "benchmarks", "betas"]);

/** What a person is first asked; the rest is behind the fold. */
const FIRST = new Set(["steps", "batch_size", "learning_rate", "save_every", "num_frames", "resolution", "rank"]);

/** [{ name, path, kind, ... }] of a schema's own fields, of the optimisation and of LoRA. */
export function fieldsOf(schema) {
  if (!schema) return [];
  const { Optimisation, Lora } = schema.$defs;
  return [...own(schema, []), ...own(Optimisation, ["optimisation"]), ...own(Lora, ["lora"])];
}

function own({ properties }, group) {
  return Object.entries(properties).flatMap(([name, said]) => {
    if (LEFT_OUT.has(name)) return [];
    if (name === "modes") return sharesOf(said);
    const types = said.anyOf ?? [said];
    const plain = types.find(({ type }) => type !== "null") ?? said;
    return [
      {
        name,
        path: [...group, name],
        title: said.title ?? name,
        description: said.description ?? plain.description ?? "",
        usual: said.default,
        kind: plain.enum ? "choice" : plain.type,
        choices: plain.enum ?? [],
        least: plain.minimum,
        most: plain.maximum,
        first: FIRST.has(name),
      },
    ];
  });
}

/** A number for each mode that a clip can be learnt as. */
function sharesOf({ propertyNames, default: usual, description }) {
  return propertyNames.enum.map((mode) => ({
    name: mode,
    path: ["modes", mode],
    title: say(`tune.mode_${mode}`),
    description,
    usual: usual[mode] ?? 0,
    kind: "number",
    choices: [],
    least: 0,
    first: false,
  }));
}

/** A value by its path, in an object that may lack it. */
export const at = (values, path) => path.reduce((value, name) => value?.[name], values);

/** The same object with another value at a path; undefined takes it away. */
export function put(values, path, value) {
  const [name, ...rest] = path;
  const copy = { ...values };
  if (rest.length) copy[name] = put(copy[name] ?? {}, rest, value);
  else if (value === undefined) delete copy[name];
  else copy[name] = value;
  return copy;
}

export function Field({ field, values, usual, set }) {
  const { path, title, description, kind, choices, least, most } = field;
  const said = at(values, path);
  const normal = usual ?? field.usual;
  const name = path.join(".");
  if (kind === "boolean") {
    return html`
      <label title=${description}>
        <span>${title}</span>
        <input
          type="checkbox"
          role="switch"
          class="o-switch"
          name=${name}
          checked=${said ?? normal ?? false}
          onChange=${({ currentTarget }) => set(path, currentTarget.checked)}
        />
      </label>
    `;
  }
  if (kind === "choice") {
    return html`
      <label title=${description}>
        <span>${title}</span>
        <select
          class="o-select"
          name=${name}
          value=${said ?? normal ?? ""}
          onChange=${({ currentTarget }) => set(path, currentTarget.value)}
        >
          ${choices.map((choice) => html`<option key=${choice} value=${choice}>${choice}</option>`)}
        </select>
      </label>
    `;
  }
  const isNumber = kind === "number" || kind === "integer";
  return html`
    <label title=${description}>
      <span>${title}</span>
      <input
        class=${`o-select${isNumber ? " o-num" : ""}`}
        type=${isNumber ? "number" : "text"}
        name=${name}
        min=${least}
        max=${most}
        step=${kind === "integer" ? 1 : "any"}
        placeholder=${normal ?? say("tune.auto")}
        value=${said ?? ""}
        onInput=${({ currentTarget: { value } }) =>
          set(path, value === "" ? undefined : isNumber ? Number(value) : value)}
      />
    </label>
  `;
}
