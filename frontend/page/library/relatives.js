// The family of an item, in both directions: what it was made from, what was made from it, and what the same job made.

import { say } from "../data/facts.js";
import { icon } from "../parts/icons.js";
import { nameOf } from "./store.js";
import { make } from "../parts/nodes.js";

const GROUPS = ["made_from", "led_to", "siblings"];

/** One list for each side of the family that has anybody. */
export function relatives(detail) {
  return GROUPS.filter((group) => detail[group].length).map((group) =>
    make(
      "section",
      { "data-group": group },
      make("h2", {}, say(`peek.${group}`)),
      make("ul", { role: "list" }, ...detail[group].map((item) => make("li", {}, relative(item)))),
    ),
  );
}

function relative(item) {
  const name = nameOf(item);
  const picture =
    item.thumbnail_url && !item.missing
      ? make("img", { src: item.thumbnail_url, alt: "", loading: "lazy" })
      : icon("curve", 20);
  return make(
    "button",
    { type: "button", "data-relative": item.id, "aria-label": name.slice(0, 120), title: name.slice(0, 200) },
    picture,
  );
}
