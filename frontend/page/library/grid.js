// The grid: as many tiles as fit on the screen and a little more, however long the library is.

import { say } from "../data/facts.js";
import { library } from "./store.js";
import { query } from "./query.js";
import { selection } from "./selection.js";
import { Tile } from "./tile.js";
import { seen } from "../data/store.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";

const GAP = 12;
const WORDS_HEIGHT = 46;
const MIN_WIDTH = { wide: 176, narrow: 104 };
const SHAPE = 3 / 4; // of a picture, height to width, where nothing says
const SHAPES = [9 / 16, 1]; // the widest and the tallest
const LOOKED_AT = 60; // items that say the shape
const ROWS_AROUND = 2;
const COMING = Array.from({ length: 18 }); // places that are drawn until the first answer

export function Grid() {
  const grid = useRef(null);
  const [wide, high, topRow] = [useSignal(0), useSignal(0), useSignal(0)]; // what is seen of the grid
  const focuses = useRef(false); // whether the keyboard's tile is to be focused once it is there
  const { total, items } = seen(library);
  const { chosen, peeked } = seen(selection);
  const count = total ?? 0;
  const shape = shapeOf(items);
  const { columns, width, height } = layoutOf(wide.value, shape);
  const at = keyboardAt();

  const look = () => {
    const { clientWidth, clientHeight, scrollTop } = grid.current;
    wide.value = clientWidth;
    high.value = clientHeight;
    topRow.value = Math.floor(scrollTop / layoutOf(clientWidth, shapeOf(library.items)).height);
  };
  useEffect(() => {
    new ResizeObserver(look).observe(grid.current);
    query.addEventListener("state", () => {
      grid.current.scrollTop = 0;
      selection.at = 0;
    });
  }, []);

  const first = Math.max(topRow.value - ROWS_AROUND, 0) * columns;
  // One row more than fit, since the first one may be cut.
  const end = Math.min((topRow.value + Math.ceil(high.value / height) + 1 + ROWS_AROUND) * columns, count);
  const drawn = Array.from({ length: Math.max(end - first, 0) }, (_, place) => first + place);
  // The focused tile stays, else the keyboard would lose its place.
  if (at < count && !drawn.includes(at) && grid.current?.contains(document.activeElement))
    drawn[at < first ? "unshift" : "push"](at);
  const stop = drawn.includes(at) ? at : first;
  useLayoutEffect(() => {
    if (end) library.need(end - 1);
    const tile = focuses.current && grid.current.querySelector(`[data-index="${at}"] .o-tile-open`);
    if (!tile) return;
    focuses.current = false;
    tile.focus({ preventScroll: true });
  });

  function go(index, reaches) {
    const { columns, height } = layoutOf(grid.current.clientWidth, shape);
    const to = Math.min(Math.max(index, 0), library.total - 1);
    const top = Math.floor(to / columns) * height;
    const { scrollTop, clientHeight } = grid.current;
    if (top < scrollTop) grid.current.scrollTop = top;
    else if (top + height > scrollTop + clientHeight) grid.current.scrollTop = top + height - clientHeight;
    look();
    focuses.current = true;
    if (reaches) selection.reach(library.items, to);
    selection.move(to);
  }

  function press(event) {
    const from = keyboardAt();
    const item = library.items[from];
    const page = Math.max(Math.floor(high.value / height), 1) * columns;
    const steps = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
      PageDown: page,
      PageUp: -page,
      Home: -from,
      End: library.total - 1 - from,
    };
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key in steps && plain) go(from + steps[event.key], event.shiftKey);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection.all(library.items);
    else if (!plain || !item) return;
    else if (item.stack)
      return; // it is opened first
    else if (/^[0-5]$/.test(event.key)) library.change([item.id], { rating: Number(event.key) });
    else if (event.key === " ") selection.toggle(item.id, from);
    else if (event.key === "s") library.change([item.id], { starred: !item.starred });
    else if (event.key === "Delete") library.trash([item.id]);
    else return;
    event.preventDefault();
  }

  return html`
    <o-library-grid ref=${grid} data-count=${total} onScroll=${look}>
      ${
        count > 0 &&
        html`<div class="o-grid-space" style=${{ height: `${Math.ceil(count / columns) * height}px` }}>
          <ul role="list" aria-label=${say("library.items")} onKeyDown=${press}>
            ${drawn.map((index) => {
              const item = items[index] ?? null;
              return html`<${Tile}
                key=${index}
                item=${item}
                index=${index}
                count=${count}
                chosen=${chosen.has(item?.id)}
                peeked=${item !== null && item.id === peeked}
                current=${index === stop}
                x=${(index % columns) * (width + GAP)}
                y=${Math.floor(index / columns) * height}
                width=${width}
                height=${Math.round(width * shape)}
              />`;
            })}
          </ul>
        </div>`
      }
      ${total === null && html`<ul class="o-tiles-coming" aria-hidden="true">${COMING.map(() => html`<li />`)}</ul>`}
      ${total === 0 && html`<${Empty} />`}
    </o-library-grid>
  `;
}

/** The index of the keyboard's tile, among those that there still are. */
const keyboardAt = () => Math.min(selection.at, Math.max((library.total ?? 0) - 1, 0));

/** The commonest shape of the first items, height to width, so that few of them have bars. */
function shapeOf(items) {
  const first = items.slice(0, LOOKED_AT).filter(({ width, height }) => width && height);
  const shapes = first.map(({ width, height }) => height / width).sort((a, b) => a - b);
  const median = shapes[Math.floor(shapes.length / 2)] ?? SHAPE;
  return Math.min(Math.max(median, SHAPES[0]), SHAPES[1]);
}

function layoutOf(wide, shape) {
  const room = wide - 4;
  const least = room < 560 ? MIN_WIDTH.narrow : MIN_WIDTH.wide;
  const columns = Math.max(Math.floor((room + GAP) / (least + GAP)), 1);
  const width = (room - (columns - 1) * GAP) / columns;
  return { columns, width, height: Math.round(width * shape) + WORDS_HEIGHT + GAP };
}

function emptyKey({ looks }) {
  if (looks) return "none";
  if (query.get("trashed")) return "trash";
  return query.get("evaluation") ? "evaluation" : "start";
}

function Empty() {
  const key = emptyKey(seen(query));
  return html`
    <div class="o-empty">
      <b>${say(`empty.${key}`)}</b>
      <p>${say(`empty.${key}_hint`)}</p>
      ${
        key === "none" &&
        html`<button type="button" class="o-btn" onClick=${() => query.clear()}>${say("library.clear")}</button>`
      }
    </div>
  `;
}
