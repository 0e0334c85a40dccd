// What was compared before; before the first one, what comparing is for.

import { counted, say } from "../data/facts.js";
import { live } from "../data/live.js";
import { make, show } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { ask } from "../parts/server.js";

const TAUGHT = ["axes", "truth", "library"];

class CompareList extends Part {
  #asked = "";

  build() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", say("compare.earlier"));
    const lesson = (name) =>
      make("li", {}, make("b", {}, say(`compare.teach_${name}`)), make("p", {}, say(`compare.teach_${name}_hint`)));
    this.empty = make(
      "div",
      { class: "o-compare-empty", hidden: true },
      make("b", {}, say("compare.empty")),
      make("p", {}, say("compare.empty_hint")),
      make("ul", { role: "list" }, ...TAUGHT.map(lesson)),
    );
    this.heading = make("h2", { hidden: true }, say("compare.earlier"));
    this.list = make("ul", { role: "list", class: "o-compared" });
    this.append(this.empty, this.heading, this.list);
  }

  // Asked again when a job of a batch moves on.
  paint({ jobs }) {
    const now = JSON.stringify(
      Object.values(jobs)
        .filter(({ batch }) => batch)
        .map(({ id, state }) => [id, state]),
    );
    if (live.seq < 0 || now === this.#asked) return;
    this.#asked = now;
    this.#ask().then((found) => (this.#asked = found ? this.#asked : null));
  }

  async #ask() {
    const found = await ask("GET", "/v1/comparisons");
    if (!found) return false;
    show(this.empty, found.comparisons.length === 0);
    show(this.heading, found.comparisons.length > 0);
    this.list.replaceChildren(...found.comparisons.map(draw));
    return true;
  }
}

function draw({
  id,
  title,
  num_rows: rows,
  num_columns: columns,
  num_cells: cells,
  num_done: done,
  created_at: at,
  thumbnail_url: url,
}) {
  const picture = make(
    "span",
    { class: "o-compared-picture" },
    ...(url ? [make("img", { alt: "", loading: "lazy", src: url })] : []),
  );
  const stands =
    cells === 0
      ? say("compare.shown_only")
      : done < cells
        ? say("compare.done", { done, cells })
        : counted("compare.all_done", cells);
  const when = new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const said = make(
    "span",
    { class: "o-compared-said" },
    make("b", {}, title),
    make("small", {}, [say("compare.summary", { rows, columns }), stands, when].join(" · ")),
  );
  return make("li", {}, make("a", { href: `/compare?id=${id}` }, picture, said));
}

customElements.define("o-compare-list", CompareList);
