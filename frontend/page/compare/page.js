// Comparisons: the form and what was compared before, or one grid under its playhead, as the address says.

import { sentenceOf } from "../data/captions.js";
import "../playhead/part.js";
import { CompareForm } from "./form.js";
import { itemsOf } from "./items.js";
import { ordered, ordersOf } from "./order.js";
import { CompareList } from "./list.js";
import { store } from "./store.js";
import { counted, say } from "../data/facts.js";
import { lost } from "../data/gone.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { openLightbox } from "../media/lightbox.js";
import { define, useAttributes } from "../parts/element.js";
import { IconButton } from "../parts/icons.js";
import { cellOf, gridOf } from "../playhead/cells.js";
import { again } from "../parts/send.js";
import { askJson } from "../parts/server.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";

const FORMS = ["mp4", "zip", "csv"];

// What the address names is asked for before the page around it is built.
const address = new URLSearchParams(location.search);
const wanted = address.get("id");
const ids = (address.get("items") ?? "").split(",").filter(Boolean);
const items = itemsOf(ids);
const wide = Number(address.get("columns")) || (ids.length <= 4 ? ids.length : Math.ceil(Math.sqrt(ids.length)));
if (wanted) store.start(wanted);

function Compare({ element }) {
  if (wanted) return html`<${Written} element=${element} />`;
  if (ids.length) return html`<${Beside} element=${element} />`;
  return html`<div class="o-compare-start"><${CompareForm} /><${CompareList} /></div>`;
}

const Head = ({ title, children }) => html`
  <header class="o-compare-head">
    <h2 title=${title}>${title}</h2>
    ${children}
    <a class="o-btn" href="/compare">${say("compare.all")}</a>
  </header>
`;

/** A comparison that the server has. */
function Written({ element }) {
  const head = useRef(null);
  const order = useSignal("");
  const dense = useSignal(false);
  const { comparison, missing } = seen(store);
  seen(lost);
  useLayoutEffect(() => {
    if (comparison) element.dataset.done = comparison.num_done;
  }, [comparison]);
  useAttributes(element, { "data-dense": dense.value });
  if (!comparison) return html`<${Head} title=${missing ? say("compare.gone") : ""} /><o-playhead ref=${head} />`;

  const { title, num_rows: rows, num_columns: columns, num_done: done, num_cells: cells } = comparison;
  const grid = gridOf(comparison, live.state.jobs);
  const helpedCells = withLightbox(grid.cells.map((cell, index) => helped(cell, comparison.cells[index])));
  const orders = ordersOf(comparison);
  const shown = ordered({ ...grid, cells: helpedCells }, comparison, order.value);
  const without = comparison.cells.filter(({ job }) => ["failed", "cancelled"].includes(job?.state)).length;
  const progress = { done: done - without, cells, without };
  const act = (visible, icon, name, onClick, more = {}) =>
    visible &&
    html`<${IconButton}
      icon=${icon}
      words=${say(`compare.${name}`)}
      data-do=${name}
      onClick=${onClick}
      ...${more}
    />`;
  return html`
    <${Head} title=${title}>
      <span class="o-chip-plain">
        ${[counted("compare.num_rows", rows), counted("compare.num_columns", columns)].join(" × ")}
      </span>
      ${
        cells > 0 &&
        html`<span class="o-chip-plain" data-ended=${store.ended ? "true" : null}>
          <i class="o-dot" data-state=${without ? "wait" : "good"} />
          <span role="status">${say(without ? "compare.progress_without" : "compare.progress", progress)}</span>
        </span>`
      }
      <span class="o-grow" />
      ${
        orders.length > 0 &&
        html`<select
          class="o-select"
          aria-label=${say("compare.order")}
          onChange=${({ target }) => {
            order.value = target.value;
          }}
        >
          ${orders.map(([name, words]) => html`<option value=${name}>${words}</option>`)}
        </select>`
      }
      ${act(rows > 1, "grid", "dense", () => (dense.value = !dense.value), { "aria-pressed": String(dense.value) })}
      ${act(store.ended && comparison.cells.some(({ item }) => item?.type === "video"), "evaluate", "rate", () =>
        location.assign(`/evaluate?batch=${wanted}#hue`),
      )}
      ${act(!store.ended, "close", "cancel", () => store.act("cancel"))}
      ${act(store.ended && store.lost, "again", "retry", () => store.act("retry"))}
      <${Export} heard=${() => head.current.heard} />
      ${act(store.ended, "trash", "forget", forget, { quiet: true })}
    <//>
    <o-playhead ref=${head} grid=${dense.value && columns === 1 ? inOneRow(shown) : shown} />
  `;
}

// Rows of one cell each, side by side under their titles.
const inOneRow = ({ rows, cells }) => ({
  columns: [],
  rows: [],
  cells: cells.map((cell) => ({ ...cell, row: 0, column: cell.row, label: rows[cell.row] ?? cell.label })),
});

async function forget() {
  if (await store.forget()) location.assign("/compare");
}

function Export({ heard }) {
  const menu = useRef(null);
  const href = (form, sound = "") =>
    `/v1/comparisons/${wanted}/export?form=${form}${sound && `&sound=${encodeURIComponent(sound)}`}`;

  // The clip that is heard is the one that the mosaic sounds like.
  function take({ currentTarget }, form) {
    currentTarget.href = href(form, form === "mp4" ? heard() : "");
    menu.current.open = false;
  }
  const leave = ({ relatedTarget }) => {
    if (!menu.current.contains(relatedTarget)) menu.current.open = false;
  };
  return html`
    <details ref=${menu} class="o-export" onFocusOut=${leave}>
      <summary class="o-btn">${say("compare.export")}</summary>
      <div class="o-menu-list">
        ${FORMS.map(
          (form) => html`
            <a class="o-menu-item" href=${href(form)} download data-form=${form} onClick=${(event) => take(event, form)}>
              ${say(`compare.export_${form}`)}
            </a>
          `,
        )}
      </div>
    </details>
  `;
}

/** Library items beside each other: nothing is written down until somebody wants to keep it. Each is drawn as it comes. */
function Beside({ element }) {
  const head = useRef(null);
  const found = useSignal(Array(ids.length).fill(null));
  const whole = useSignal(false);
  seen(lost);
  const there = found.value.filter(Boolean);

  useEffect(() => {
    const drawn = items.map(async (item, at) => {
      const come = await item;
      found.value = found.value.with(at, come);
    });
    Promise.all(drawn).then(() => (whole.value = true));
  }, []);
  useEffect(() => {
    if (!whole.value) return;
    element.dataset.items = there.length;
    const pictures = there.filter(({ type, missing }) => type === "image" && !missing);
    if (ids.length === 2 && pictures.length === 2) head.current.look("slider");
  }, [whole.value]);

  async function keep() {
    const shown = there.map(({ id }) => id);
    const subjects = [...Array(Math.ceil(shown.length / wide)).keys()].map((row) => ({
      shown: shown.slice(row * wide, (row + 1) * wide),
    }));
    const answer = await askJson("POST", "/v1/comparisons", { subjects });
    if (answer) location.assign(`/compare?id=${answer.id}`);
  }

  const cells = withLightbox(found.value.map(besideCell));
  return html`
    <${Head} title=${counted("compare.items", ids.length)}>
      <span class="o-grow" />
      ${
        whole.value &&
        there.length > 0 &&
        html`<${IconButton} icon="download" words=${say("compare.keep")} data-do="keep" onClick=${keep} />`
      }
    <//>
    <o-playhead ref=${head} grid=${{ columns: cells.slice(0, wide).map(({ label }) => label), cells }} />
  `;
}

function besideCell(item, at) {
  const label = String.fromCharCode(65 + (at % 26)) + (at >= 26 ? Math.floor(at / 26) : "");
  const place = { row: Math.floor(at / wide), column: at % wide, label };
  if (!item) return { ...place, status: { words: say("compare.missing"), state: "failed" } };
  const said = item.title || sentenceOf(item.prompt);
  const cell = cellOf(item, { ...place, notes: said ? [[said, "said", said]] : [] });
  if (cell.gone) return helped(cell, { item, job: null });
  const acted = item.siblings.find(({ id }) => id === `${item.id}-actions`);
  return { ...cell, actions: cell.actions ?? acted?.url ?? null };
}

/** Each that can be looked at alone, among all of them. */
function withLightbox(cells) {
  const isSeen = ({ id, gone, status }) => id && !gone && !status;
  const items = cells.filter(isSeen).map(({ id, thumbnail }) => ({ id, thumbnail_url: thumbnail }));
  return cells.map((cell) => (isSeen(cell) ? { ...cell, enlarge: () => openLightbox(items, cell.id) } : cell));
}

// What can be done where something is gone: its job runs again, its settings are brought back, or its file is sent
// again.
function helped(cell, { job, item }) {
  if (!cell.gone) return cell;
  const told = (key) => ({ ...cell, status: { ...cell.status, words: say(key) } });
  if (job) return told("compare.missing_made");
  const href = item && again(item);
  if (href) return { ...cell, way: { href, words: say("peek.use") } };
  return item ? told("compare.missing_sent") : cell;
}

define("o-compare", Compare);
