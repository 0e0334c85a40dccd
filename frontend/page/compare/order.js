// The rows of a comparison in another order: by what was measured of them, the best first.

import { metrics, say } from "../data/facts.js";

const COST = "seconds"; // less is better
const CRITIC = "critic";

/** The orders that its cells allow, as [name, words]; the first is that of its rows. */
export function ordersOf({ cells, num_rows: rows }) {
  if (rows < 2) return [];
  const has = (name) => cells.some((cell) => measured(cell, name) != null);
  const named = [...metrics.map(({ name, title }) => [name, title]), [CRITIC, say("compare.critic")]];
  const found = [...named, [COST, say("compare.order_seconds")]].filter(([name]) => has(name));
  return found.length ? [["", say("compare.order_written")], ...found] : [];
}

/** A comparison's grid with its rows ordered by the mean of their cells; rows without a value stand last. */
export function ordered(grid, { cells, num_rows: count }, name) {
  if (!name) return grid;
  const sign = name === COST ? 1 : -1;
  const means = Array.from({ length: count }, (_, row) => {
    const values = cells.filter((cell) => cell.row === row).map((cell) => measured(cell, name));
    const known = values.filter((value) => value != null);
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
  });
  const rows = means
    .map((mean, row) => ({ mean, row }))
    .sort((a, b) => Number(a.mean === null) - Number(b.mean === null) || sign * (a.mean - b.mean))
    .map(({ row }) => row);
  const places = new Map(rows.map((row, at) => [row, at]));
  return {
    ...grid,
    rows: grid.rows.length ? rows.map((row) => grid.rows[row]) : [],
    cells: grid.cells.map((cell) => ({ ...cell, row: places.get(cell.row) })),
  };
}

const measured = (cell, name) => (name === COST || name === CRITIC ? cell[name] : cell.likeness?.[name]);
