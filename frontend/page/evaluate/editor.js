// An annotation beside its video: a control for each field of the schema, and a person's values as a correction.

import { say } from "../data/facts.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { CorrectionActs } from "./corrections.js";
import { useUndo } from "./undo.js";

/** `of` has the answered item of each of `runs`; `schema` is that of their benchmark. */
export function AnnotationEditor({ item, of, runs, schema }) {
  const first = of.find(Boolean);
  const run = runs[of.indexOf(first)];
  const { correction } = first;
  const said = of.flatMap((one, at) =>
    (one?.marks ?? [])
      .filter(({ state }) => state === "read")
      .map(({ reading }) => ({ name: runs[at].title, reading })),
  );
  const draft = useSignal(null); // the fields that were changed here, null before
  const typing = useRef(""); // the field that is typed into
  const begins = correction?.reference ?? { ...item.reference, ...said[0]?.reading };
  const values = draft.value ?? begins;
  const fields = schema.fields.filter(({ scored }) => scored);
  const differs = (other) => draft.value !== null && fields.some(({ name }) => !same(draft.value[name], other?.[name]));
  const isNew = !correction || differs(begins); // what is right already is confirmed
  const way = useUndo(draft, begins, same, () => (typing.current = ""));
  useEffect(() => {
    if (!differs(correction?.reference)) draft.value = null;
  }, [correction?.created_at]);

  // What is typed into one field is one step.
  function set(name, value, typed = false) {
    if (!typed || typing.current !== name) way.remember();
    typing.current = typed ? name : "";
    const { [name]: _, ...others } = draft.peek() ?? begins;
    draft.value = value === null ? others : { ...others, [name]: value };
  }
  function reference() {
    typing.current = "";
    draft.value = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, trimmed(value)]));
    return draft.value;
  }
  return html`
    <section class="o-annotation" aria-label=${say("evaluate.annotation", { name: item.id })} onKeyDown=${way.hear}>
      <p class="o-hint" role="status">
        ${correction ? say("evaluate.corrected_by", { name: correction.by }) : say("evaluate.annotation_hint")}
      </p>
      ${fields.map(
        (field) => html`
          <${Field}
            key=${field.name}
            id=${`${item.id}-${field.name}`}
            field=${field}
            value=${values[field.name] ?? null}
            reference=${item.reference?.[field.name] ?? null}
            said=${said.map(({ name, reading }) => ({ name, value: reading[field.name] ?? null }))}
            set=${(value, typed) => set(field.name, value, typed)}
          />
        `,
      )}
      <${CorrectionActs} ...${{ run, item, correction, draft, isNew, way, reference }} />
    </section>
  `;
}

const trimmed = (value) => (typeof value === "string" ? value.trim() : value);

const same = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

function Field({ id, field, value, reference, said, set }) {
  const Control = CONTROLS[field.type];
  const others = [{ name: say("evaluate.lane_reference"), value: reference }, ...said].filter(
    (one) => one.value !== null && !same(one.value, value),
  );
  return html`
    <div class="o-annotation-field" data-field=${field.name} data-differs=${others.length ? "" : null}>
      <b id=${`${id}-title`} title=${field.question}>${field.title}</b>
      <${Control} field=${field} value=${value} set=${set} title=${`${id}-title`} />
      ${others.map((one) => html`<small key=${one.name}>${one.name}: ${readable(one.value)}</small>`)}
    </div>
  `;
}

const readable = (value) => (Array.isArray(value) ? value.join(", ") : String(value));

const choose = (options, read) =>
  function Choice({ value, set, title, field }) {
    return html`
      <select
        class="o-select"
        aria-labelledby=${title}
        value=${value === null ? "" : String(value)}
        onChange=${({ target }) => set(target.value === "" ? null : read(target.value))}
      >
        <option value="">${say("evaluate.no_value")}</option>
        ${options(field).map((one) => html`<option key=${one} value=${String(one)}>${one}</option>`)}
      </select>
    `;
  };

const numbersOf = ({ low, high }) => Array.from({ length: high - low + 1 }, (_, at) => low + at);

const Switch = ({ value, set, title }) => html`
  <button
    type="button"
    class="o-switch"
    role="switch"
    aria-checked=${String(value === true)}
    aria-labelledby=${title}
    data-unset=${value === null ? "" : null}
    onClick=${() => set(value !== true)}
  />
`;

const Words = ({ value, set, title, field }) => html`
  <textarea
    class="o-select"
    rows="2"
    aria-labelledby=${title}
    maxlength=${field.max_characters}
    value=${value ?? ""}
    onInput=${({ target }) => set(target.value || null, true)}
  />
`;

function Several({ value, set, title, field }) {
  const has = value ?? [];
  return html`
    <div class="o-annotation-several" role="group" aria-labelledby=${title}>
      ${field.values.map(
        (one) => html`
          <label key=${one}>
            <input
              type="checkbox"
              checked=${has.includes(one)}
              onChange=${({ target }) => set(target.checked ? [...has, one] : has.filter((other) => other !== one))}
            />
            ${one}
          </label>
        `,
      )}
    </div>
  `;
}

const CONTROLS = {
  enum: choose(({ values }) => values, String),
  integer: choose(numbersOf, Number),
  boolean: Switch,
  text: Words,
  several: Several,
};
