// Library items that an address names, a hundred with one question: one each would keep the page waiting for itself.

const AT_ONCE = 100;

const none = { items: [] };

/** Of each id a promise of its item, with its actions among `siblings`; null where there is none. */
export function itemsOf(ids) {
  const pages = [];
  return ids.map(async (id, index) => {
    const page = Math.floor(index / AT_ONCE);
    pages[page] ??= asked(ids.slice(page * AT_ONCE, (page + 1) * AT_ONCE));
    const { items } = await pages[page];
    const item = items.find((one) => one.id === id);
    if (item) return { ...item, siblings: items.filter((one) => one.id === actionsOf(id)) };
    // What is in the trash is not found, and can still be shown.
    return json(`/v1/library/${encodeURIComponent(id)}`, null);
  });
}

function asked(ids) {
  const query = new URLSearchParams([
    ["limit", 2 * AT_ONCE],
    ...ids.flatMap((id) => [
      ["id", id],
      ["id", actionsOf(id)],
    ]),
  ]);
  return json(`/v1/library?${query}`, none);
}

function actionsOf(id) {
  return `${id}-actions`;
}

function json(path, otherwise) {
  return fetch(path).then(
    (reply) => (reply.ok ? reply.json() : otherwise),
    () => otherwise,
  );
}
