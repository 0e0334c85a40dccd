// Actions as a curve that a person draws: one value at a time, over the others in the background.

import { bodies, counted, say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { defineField } from "../form/field.js";
import { form } from "../form/values.js";
import { fitted, GROUP, MOST, readRows, SHAPES, shaped } from "../making/action_shapes.js";
import { toast } from "../parts/errors.js";
import { useAttributes } from "../parts/element.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";
import { Curve } from "./curve.js";

const ROWS = 16;

function ActionsEditor({ value: { actions }, put, element }) {
  const chosen = useSignal(0);
  const file = useRef(null);
  const { values } = seen(form);
  const [own, , named = []] = bodies[form.get("embodiment")] ?? [];
  const width = own ?? form.get("action_width") ?? 1;
  const fits = actions?.[0]?.length === width;
  useEffect(() => {
    if (values && !fits) put({ actions: fitted(actions ?? [], actions?.length || ROWS, width) });
  }, [values !== null, fits, width]);
  useAttributes(element, { "data-rows": fits ? actions.length : null });
  if (!values || !fits) return null;

  const column = Math.min(chosen.value, width - 1);
  const nameOf = (index) => named?.[index]?.replaceAll("_", " ") ?? say("actions.column", { column: index + 1 });
  const size = Math.max(...actions.map((row) => Math.abs(row[column]))) || 1; // as far as the curve goes already
  const seconds = (actions.length / (values.fps || 1)).toFixed(1);

  function resize({ target }) {
    const asked = Math.round(Number(target.value) / GROUP) * GROUP;
    put({ actions: fitted(actions, Math.min(Math.max(asked, GROUP), MOST) || ROWS, width) });
  }
  async function load({ target }) {
    const [chosenFile] = target.files;
    const rows = chosenFile && readRows(await chosenFile.text());
    target.value = "";
    if (!rows) return toast(say("actions.unreadable"), say("actions.unreadable_hint"), "bad");
    if (rows[0].length !== width)
      return toast(say("actions.wrong_width", { came: rows[0].length, wanted: width }), "", "bad");
    put({ actions: fitted(rows, Math.max(GROUP, rows.length - (rows.length % GROUP)), width) });
  }

  return html`
    <span class="o-line-title">
      <b>${say("actions.title")}</b>
      <span class="o-num">${counted("actions.length", actions.length, { seconds })}</span>
    </span>
    <div class="o-actions-line">
      <select
        class="o-select"
        aria-label=${say("actions.value")}
        onChange=${({ target }) => {
          chosen.value = target.selectedIndex;
        }}
      >
        ${actions[0].map((_, index) => html`<option selected=${index === column}>${nameOf(index)}</option>`)}
      </select>
      <input
        type="number"
        class="o-select"
        min=${GROUP}
        max=${MOST}
        step=${GROUP}
        value=${actions.length}
        aria-label=${say("actions.rows")}
        onChange=${resize}
      />
      <button type="button" class="o-btn" onClick=${() => file.current.click()}>${say("actions.load")}</button>
      <input ref=${file} type="file" accept=".json,.csv,.txt" hidden onChange=${load} />
    </div>
    <${Curve} rows=${actions} column=${column} put=${(rows) => put({ actions: rows })} />
    <div class="o-chip-group" role="group" aria-label=${say("actions.shapes")}>
      ${Object.keys(SHAPES).map(
        (name) => html`
          <button
            type="button"
            class="o-chip"
            onClick=${() => put({ actions: shaped(actions, column, name, size) })}
          >
            ${say(`shape.${name}`)}
          </button>
        `,
      )}
    </div>
    <small>${say("actions.help")}</small>
  `;
}

defineField("o-actions", ActionsEditor, { actions: null });
