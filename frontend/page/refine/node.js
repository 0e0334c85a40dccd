// One result: the picture with the critic's boxes, its scores and issues, why it won, what changed in its prompt, and a
// line to go on from it in other words.

import { say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { lost } from "../data/gone.js";
import { iconButton } from "../parts/icons.js";
import { Marks } from "../media/marks.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { refining } from "./store.js";
import { useAgain } from "../parts/reuse.js";
import { stageOf } from "./tree.js";
import { changesOf } from "./text_changes.js";
import { Viewer } from "../media/viewer.js";

const SCORES = [
  "overall",
  "prompt_adherence",
  "visual_quality",
  "aesthetics",
  "physical_plausibility",
  "category",
  "text_rendering",
  "photorealism",
];
const TOP = 10;

export class RefineNode {
  #drawn = "";

  constructor() {
    this.viewer = new Viewer();
    this.marks = new Marks();
    this.viewer.frame.append(this.marks.node);
    this.waits = make("p", { class: "o-refine-waits", role: "status" });
    this.title = make("h2", {});
    this.won = make("p", { class: "o-refine-won", hidden: true });
    this.fault = make("p", { class: "o-refine-fault", hidden: true });
    this.again = iconButton("again", say("peek.use"), () => useAgain(refining.node.request), { "data-do": "use" });
    this.gone = make(
      "div",
      { class: "o-refine-gone", hidden: true },
      make("p", { role: "status" }, say("refine.gone")),
      this.again,
    );
    this.said = make("div", { class: "o-refine-said" });
    this.words = make("textarea", {
      rows: 2,
      "aria-label": say("branch.words"),
      placeholder: say("branch.hint"),
      maxlength: 8000,
    });
    this.rewrites = make("input", { type: "number", class: "o-select", min: 0, max: 8, value: 0 });
    this.go = iconButton("send", say("branch.go"), () => this.#branch(), { "data-do": "branch" });
    this.branch = make(
      "section",
      { class: "o-refine-branch" },
      make("h3", {}, say("branch.title")),
      this.words,
      make(
        "div",
        { class: "o-row-acts" },
        make("label", {}, make("span", {}, say("branch.rewrites")), this.rewrites),
        this.go,
      ),
    );
    this.node = make(
      "div",
      { class: "o-refine-node" },
      make("div", { class: "o-ask-frame" }, this.viewer.node, this.waits),
      make(
        "div",
        { class: "o-card-plain o-refine-detail" },
        this.title,
        this.won,
        this.fault,
        this.gone,
        this.said,
        this.branch,
      ),
    );
  }

  paint(tree, node, { jobs }) {
    if (!node) return;
    const stage = stageOf(node);
    mark(this.node, "data-shown", node.number);
    const job = jobs[node.job_id];
    const step =
      stage === "generating" && job ? say("progress.step", { step: job.progress.step, steps: job.progress.steps }) : "";
    write(this.waits, [say(`stage_of.${stage}`), step].filter(Boolean).join(" · "));
    show(this.waits, !node.media);
    show(this.viewer.node, Boolean(node.media));
    this.viewer.show(node.media && { ...node.media, title: say("refine.result", { number: node.number }) });
    show(this.branch, Boolean(node.media));
    const isLost = Boolean(node.media) && lost.has(node.media.id);
    show(this.gone, isLost);
    // What was read of it stays where it is while the rest of the tree grows.
    const drawn = JSON.stringify([tree.id, node, tree.best, isLost]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const boxed = (node.critique?.issues ?? []).filter((issue) => issue.box_2d);
    this.marks.draw(
      (isLost ? [] : boxed).map((issue, index) => ({ box: issue.box_2d, label: `${index + 1} ${issue.category}` })),
    );
    this.#paintWords(tree, node, stage);
    this.said.replaceChildren(
      ...(node.critique ? [scores(node.critique), ...issues(node.critique, boxed), ...remarks(node.critique)] : []),
      ...prompts(tree, node),
    );
  }

  #paintWords(tree, node, stage) {
    write(
      this.title,
      say("refine.title", { number: node.number, round: node.round + 1, how: say(`origin.${node.origin}`) }),
    );
    const won = tree.best?.node === node.number;
    show(this.won, won);
    if (won) write(this.won, why(tree));
    show(this.fault, stage === "failed" || stage === "skipped");
    write(this.fault, node.error ? faultWords(node.error) : say("stage_of.skipped_why"));
  }

  async #branch() {
    const { node } = refining;
    if (!this.words.value.trim()) {
      mark(this.words, "aria-invalid", "true");
      this.words.addEventListener("input", () => mark(this.words, "aria-invalid", null), { once: true });
      return this.words.focus();
    }
    this.go.disabled = true;
    if (await refining.branch(node.number, this.words.value, Number(this.rewrites.value) || 0)) this.words.value = "";
    this.go.disabled = false;
  }
}

function why({ best, nodes }) {
  if (best.runner_up === null) return say("won.only");
  const [ours, theirs] = [nodes[best.node], nodes[best.runner_up]].map((node) => node.critique);
  const count = ({ issues }) => issues.filter(({ severity }) => severity === best.by).length;
  return say(`won.${best.by}`, {
    score: ours.overall_score.toFixed(1),
    other: best.runner_up,
    other_score: theirs.overall_score.toFixed(1),
    judged: best.num_judged,
    count: count(ours),
    other_count: count(theirs),
  });
}

function scores(critique) {
  const rows = SCORES.filter((name) => critique[`${name}_score`] != null).flatMap((name) => {
    const value = critique[`${name}_score`];
    const bar = make("i", {});
    bar.style.width = `${(100 * value) / TOP}%`;
    return [
      make("dt", {}, say(`score.${name}`)),
      make(
        "dd",
        {},
        make("span", { class: "o-refine-bar", "aria-hidden": "true" }, bar),
        make("b", { class: "o-num" }, value.toFixed(1)),
      ),
    ];
  });
  return make("dl", { class: "o-refine-scores" }, ...rows);
}

function issues({ issues: found }, boxed) {
  const rows = found.map((issue) => {
    const place = boxed.indexOf(issue);
    const number = make("span", { class: "o-refine-mark" }, place < 0 ? "·" : String(place + 1));
    const words = make(
      "span",
      {},
      make("b", {}, issue.category),
      " ",
      issue.description,
      place < 0 ? make("small", {}, ` ${say("issue.nowhere")}`) : "",
    );
    return make(
      "li",
      { "data-severity": issue.severity },
      number,
      make("em", {}, say(`severity.${issue.severity}`)),
      words,
    );
  });
  return [
    make("h3", {}, say("refine.issues")),
    rows.length
      ? make("ul", { class: "o-refine-issues", role: "list" }, ...rows)
      : make("p", { class: "o-hint" }, say("refine.no_issues")),
  ];
}

function remarks(critique) {
  const elements = Object.entries(critique.prompt_elements).map(([name, state]) =>
    make("li", { "data-presence": state }, name, make("small", {}, ` ${say(`presence.${state}`)}`)),
  );
  const findings = critique.category_findings.map(({ area, finding }) =>
    make("li", {}, make("b", {}, area), ` ${finding}`),
  );
  const directives = critique.improvement_directives.map((text) => make("li", {}, text));
  const section = (key, rows, style) =>
    rows.length ? [make("h3", {}, say(key)), make("ul", { class: style }, ...rows)] : [];
  return [
    ...(critique.rationale ? [make("h3", {}, say("refine.rationale")), make("p", {}, critique.rationale)] : []),
    ...section("refine.directives", directives, "o-refine-plain"),
    make(
      "details",
      {},
      make("summary", {}, say("refine.looked")),
      ...section("refine.elements", elements, "o-refine-elements"),
      ...section("refine.findings", findings, "o-refine-plain"),
    ),
  ];
}

function prompts(tree, node) {
  if (!node.request) return [];
  const parent = tree.nodes[node.parent]?.request;
  const parts = [];
  if (node.words) parts.push(make("h3", {}, say("branch.said")), make("p", {}, node.words));
  if (parent) {
    const lines = node.changes.map(({ path, before, after }) =>
      make("p", {}, make("b", {}, pathOf(path)), " ", ...changesOf(before, after)),
    );
    const none = make("p", { class: "o-hint" }, say("refine.unchanged"));
    parts.push(
      make("h3", {}, say("refine.changes", { parent: node.parent })),
      make("div", { class: "o-refine-changes" }, ...(lines.length ? lines : [none])),
    );
    if (parent.negative_prompt !== node.request.negative_prompt) {
      const negative = make("p", {}, ...changesOf(parent.negative_prompt, node.request.negative_prompt));
      parts.push(make("h3", {}, say("refine.negative")), make("div", { class: "o-refine-changes" }, negative));
    }
  }
  const whole = make("pre", { tabindex: 0 }, laidOut(node.request.prompt));
  const negative = node.request.negative_prompt
    ? [make("h3", {}, say("refine.negative")), make("pre", { tabindex: 0 }, node.request.negative_prompt)]
    : [];
  parts.push(make("details", {}, make("summary", {}, say("refine.whole")), whole, ...negative));
  return parts;
}

const pathOf = (path) => path.replaceAll("_", " ").replaceAll(".", " · ");

function laidOut(prompt) {
  try {
    return JSON.stringify(JSON.parse(prompt), null, 1);
  } catch {
    return prompt;
  }
}
