// Rows of actions: how many and how wide, and the shapes that one value of them can be given.

export const GROUP = 4; // actions come in groups of four
export const MOST = 396;

/** Rows resized to a number and a width; new rows repeat the last one, new values are 0. */
export function fitted(rows, num_rows, width) {
  return [...Array(num_rows).keys()].map((row) => {
    const from = rows[Math.min(row, rows.length - 1)] ?? [];
    return [...Array(width).keys()].map((column) => from[column] ?? 0);
  });
}

/** One value over all rows, `to` at its largest: held, rising, or there and back. */
export const SHAPES = {
  hold: (_at, to) => to,
  ramp: (at, to) => at * to,
  wave: (at, to) => Math.sin(2 * Math.PI * at) * to,
  pulse: (at, to) => Math.exp(-((at - 0.5) ** 2) / 0.02) * to,
  zero: () => 0,
};

const tidy = (value) => Number(value.toFixed(4));

/** The rows with one column in a shape. */
export function shaped(rows, column, name, to) {
  const last = Math.max(rows.length - 1, 1);
  return rows.map((row, at) =>
    row.map((value, index) => (index === column ? tidy(SHAPES[name](at / last, to)) : value)),
  );
}

/** The rows with one value changed, and its neighbours with it: `reach` rows to each side, less with distance. */
export function bent(rows, column, row, value, reach = 0) {
  const change = value - rows[row][column];
  return rows.map((old, at) => {
    const share = reach ? Math.max(0, 1 - Math.abs(at - row) / (reach + 1)) : Number(at === row);
    return share ? old.map((held, index) => (index === column ? tidy(held + share * change) : held)) : old;
  });
}

/** Rows out of a file: our JSON with its `actions`, a bare list, or lines of numbers; null when it is none of these. */
export function readRows(text) {
  const rows = fromJson(text) ?? fromLines(text);
  const width = rows?.[0]?.length;
  const whole = width > 0 && rows.every((row) => row.length === width && row.every(Number.isFinite));
  return whole ? rows.slice(0, MOST) : null;
}

function fromJson(text) {
  try {
    const read = JSON.parse(text);
    const rows = Array.isArray(read) ? read : read.actions;
    return Array.isArray(rows) && rows.every(Array.isArray) ? rows : null;
  } catch {
    return null;
  }
}

function fromLines(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  const rows = lines.map((line) =>
    line
      .trim()
      .split(/[\s,;]+/)
      .map(Number),
  );
  return rows.length && rows[0].some(Number.isNaN) ? rows.slice(1) : rows; // the first line may be names
}
