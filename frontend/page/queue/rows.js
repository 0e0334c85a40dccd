// Rows of a list that live as long as what they show.

/** Bring a list's rows, by id, to these entries in their order; `build` makes the row of a new one. */
export function paintRows(list, rows, entries, build) {
  const kept = new Set(entries.map(({ id }) => id));
  for (const [id, row] of rows) {
    if (kept.has(id)) continue;
    row.remove();
    rows.delete(id);
  }
  entries.forEach((entry, index) => {
    if (!rows.has(entry.id)) rows.set(entry.id, build(entry));
    const { node } = rows.get(entry.id);
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
    rows.get(entry.id).paint(entry);
  });
}
