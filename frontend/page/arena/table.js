// One ranking as a table: place, rating with its interval as a bar on one scale, and the record.

import { say } from "../data/facts.js";
import { make } from "../parts/nodes.js";

const MARGIN = 40; // points beyond the outermost interval

export function drawTable({ rows }, minVotes) {
  const rated = rows.filter(({ rating }) => rating !== null);
  const from = Math.min(...rated.map(({ low }) => low)) - MARGIN;
  const to = Math.max(...rated.map(({ high }) => high)) + MARGIN;
  const place = (points) => `${(100 * (points - from)) / (to - from)}%`;
  const heads = ["rank", "contestant", "rating", "interval", "record"];
  return make(
    "table",
    { class: "o-standings" },
    make(
      "thead",
      {},
      make("tr", {}, ...heads.map((name) => make("th", { scope: "col", "data-column": name }, say(`column.${name}`)))),
    ),
    make("tbody", {}, ...rows.map((row) => drawRow(row, place, minVotes))),
  );
}

function drawRow(row, place, minVotes) {
  const { contestant, rating, low, high, rank, num_votes: votes, wins, losses, ties, bad, why } = row;
  const record = say("ranking.record", { wins, losses, ties, bad });
  const name = make("th", { scope: "row" }, contestant);
  if (rating === null) {
    const words = why === "few_votes" ? say("ranking.few_votes", { votes, least: minVotes }) : say("ranking.never_met");
    return make(
      "tr",
      { "data-contestant": contestant, "data-why": why },
      make("td", {}, "–"),
      name,
      make("td", { colspan: 2, class: "o-few" }, words),
      make("td", { class: "o-num" }, record),
    );
  }
  const bar = make(
    "span",
    { class: "o-interval", "aria-hidden": "true" },
    make("i", { style: `left: ${place(low)}; right: calc(100% - ${place(high)})` }),
    make("b", { style: `left: ${place(rating)}` }),
  );
  const interval = make(
    "span",
    { class: "o-num" },
    say("ranking.interval", { low: Math.round(low), high: Math.round(high) }),
  );
  return make(
    "tr",
    { "data-contestant": contestant },
    make("td", { class: "o-num" }, String(rank)),
    name,
    make("td", { class: "o-num o-rating" }, String(Math.round(rating))),
    make("td", { class: "o-interval-cell" }, bar, interval),
    make("td", { class: "o-num" }, record),
  );
}
