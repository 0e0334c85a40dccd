// The bar of what can be done with the chosen items; it stands while there are any, and above the trash.

import { say } from "../data/facts.js";
import { IconButton } from "../parts/icons.js";
import { download } from "../parts/archive.js";
import { cut } from "./cuts.js";
import { library } from "./store.js";
import { query } from "./query.js";
import { selection } from "./selection.js";
import { seen } from "../data/store.js";
import { TagField } from "./tags.js";
import { html } from "../vendor/preact.js";

const COMPARED = ["image", "video"];
const MOST_COMPARED = 64;

export function Chosen() {
  const { chosen } = seen(selection);
  const items = seen(library).items.filter((item) => chosen.has(item.id));
  const trashed = Boolean(seen(query).get("trashed"));
  if (!items.length && !(trashed && library.total > 0)) return null;

  const starred = items.every((item) => item.starred);
  const compared =
    items.length > 1 &&
    items.length <= MOST_COMPARED &&
    items.every(({ type, missing }) => COMPARED.includes(type) && !missing);
  const compare = () => location.assign(`/compare?items=${items.map(({ id }) => id).join(",")}`);
  const joined = items.length > 1 && items.every(({ type, missing }) => type === "video" && !missing);
  const rated = items.length > 0 && items.every(({ type, missing }) => type === "video" && !missing);
  const rate = () => location.assign(`/evaluate?items=${items.map(({ id }) => id).join(",")}#hue`);
  const change = (changes) => library.change([...chosen], changes);
  const button = (name, icon, act, more = {}) =>
    html`<${IconButton} icon=${icon} words=${say(`chosen.${name}`)} data-do=${name} onClick=${act} ...${more} />`;
  const bad = { class: "o-bad" };
  const acts = trashed
    ? html`
        ${button("restore", "restore", () => library.restore([...chosen]))}
        ${button("erase", "trash", () => library.erase([...chosen]), bad)}
      `
    : html`
        ${button("star", "star", () => change({ starred: !starred }), { "aria-pressed": String(starred) })}
        <${TagField} size="10" words=${say("chosen.tag")} add=${(tag) => change({ add_tags: [tag] })} />
        ${compared && button("compare", "compare", compare)}
        ${
          joined &&
          button("join", "copies", () =>
            cut(
              [...chosen].map((media) => ({ media })),
              "",
            ),
          )
        }
        ${rated && button("rate", "evaluate", rate)}
        ${button("zip", "download", () => download([...chosen]))}
        ${button("trash", "trash", () => library.trash([...chosen]), bad)}
      `;
  return html`
    <o-library-chosen role="toolbar" aria-label=${say("chosen.label")}>
      <b role="status">
        ${items.length === 1 ? say("chosen.one") : items.length > 0 && say("chosen.count", { count: items.length })}
      </b>
      ${
        items.length
          ? html`
              ${acts}
              <${IconButton}
                icon="close"
                words=${say("chosen.none")}
                quiet
                data-hot="cancel"
                onClick=${() => selection.clear()}
              />
            `
          : html`
              <span class="o-hint">${say("chosen.trash_hint")}</span>
              ${button("empty", "trash", () => library.erase(null), bad)}
            `
      }
    </o-library-chosen>
  `;
}
