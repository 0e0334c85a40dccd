// What the arena says while there is nothing to vote on: what a pair is, and how to come by one.

import { places, say } from "../data/facts.js";
import { make } from "../parts/nodes.js";

const STEPS = ["make", "change", "vote"];

export function emptyArena() {
  const ways = ["compare", "image", "video"].filter((name) => places[name]);
  return make(
    "div",
    { class: "o-card-plain o-empty o-arena-empty", hidden: true },
    make("b", {}, say("arena.empty")),
    make("p", {}, say("arena.empty_hint")),
    make(
      "ol",
      {},
      ...STEPS.map((step) =>
        make("li", {}, make("b", {}, say(`teach.${step}`)), make("span", {}, say(`teach.${step}_hint`))),
      ),
    ),
    make(
      "div",
      { class: "o-arena-ways" },
      ...ways.map((name) => make("a", { class: "o-btn", href: places[name].path }, places[name].title)),
    ),
  );
}
