// Refine: what is asked for and what was refined before, beside the tree and the result that is looked at.

import { counted, duration, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { lost } from "../data/gone.js";
import { iconButton } from "../parts/icons.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { RefineForm } from "./form.js";
import { RefineNode } from "./node.js";
import { refining } from "./store.js";
import { RefineTree } from "./tree.js";

class Refine extends Part {
  sources() {
    return [refining, lost, ...super.sources()];
  }

  build() {
    this.form = new RefineForm();
    this.earlier = make("ul", { class: "o-refine-list", role: "list" });
    this.before = make(
      "section",
      { class: "o-refine-before", hidden: true },
      make("h2", {}, say("refine.before")),
      this.earlier,
    );
    this.lead = make("b", { role: "status" });
    this.hint = make("span", { class: "o-hint" });
    this.stop = iconButton("pause", say("refine.stop"), () => refining.stop(), {
      "data-do": "stop",
      "data-hot": "cancel",
    });
    this.resume = iconButton("play", say("refine.resume"), () => refining.resume(), { "data-do": "resume" });
    this.export = make("a", { class: "o-btn", "data-do": "export" }, say("refine.export"));
    this.fresh = iconButton("close", say("refine.fresh"), () => refining.leave(), { "data-do": "fresh" });
    this.fault = make("p", { class: "o-refine-fault", role: "alert", hidden: true });
    this.tree = new RefineTree();
    this.node = new RefineNode();
    this.shown = make(
      "div",
      { class: "o-refine-shown" },
      make(
        "div",
        { class: "o-queue-bar" },
        make("div", { class: "o-queue-lead" }, this.lead, this.hint),
        this.stop,
        this.resume,
        this.export,
        this.fresh,
      ),
      this.fault,
      this.tree.node,
      this.node.node,
    );
    this.empty = teaching();
    this.append(
      make("div", { class: "o-refine-side" }, this.form.node, this.before),
      make("div", { class: "o-refine-main" }, this.shown, this.empty),
    );
  }

  paint(live) {
    const { tree } = refining;
    mark(this, "data-refinement", tree?.id);
    mark(this, "data-state", tree?.state);
    this.form.paint(live);
    show(this.shown, Boolean(tree));
    show(this.empty, !tree && refining.known);
    this.#paintList();
    if (!tree) return this.tree.leave();
    this.form.follow(tree);
    this.#paintBar(tree);
    this.tree.paint(tree, refining.node, live);
    this.node.paint(tree, refining.node, live);
  }

  #paintBar(tree) {
    const running = tree.state === "running";
    const judged = tree.nodes.filter((node) => node.critique).length;
    const ended =
      tree.state === "succeeded" && tree.ended_by
        ? say(`ended.${tree.ended_by}`, { score: tree.request.good_enough })
        : "";
    write(this.lead, [say(`refining.${tree.state}`), ended].filter(Boolean).join(": "));
    const facts = [
      say("refine.judged", { judged, results: tree.nodes.length }),
      duration(tree.spent_s),
      tree.spent_tokens ? say("refine.tokens", { tokens: tree.spent_tokens.toLocaleString("en") }) : "",
    ];
    write(this.hint, facts.filter(Boolean).join(" · "));
    show(this.stop, running);
    show(this.resume, tree.state === "failed" || tree.state === "stopped");
    mark(this.export, "href", `/v1/refinements/${tree.id}`);
    mark(this.export, "download", `orrery-refinement-${tree.id}.json`);
    show(this.fault, Boolean(tree.error));
    write(this.fault, tree.error ? `${faultWords(tree.error)} ${say("refine.fault")}` : "");
  }

  #paintList() {
    const others = refining.list.filter((each) => each.id !== refining.tree?.id);
    show(this.before, others.length > 0);
    const drawn = JSON.stringify(others.map((each) => [each.id, each.state, each.overall_score, each.media?.id]));
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    this.earlier.replaceChildren(...others.map(line));
  }
}

function line(each) {
  const picture = each.media?.thumbnail_url
    ? make("img", { alt: "", loading: "lazy", src: each.media.thumbnail_url })
    : make("i", {});
  const score =
    each.overall_score == null
      ? say(`refining.${each.state}`)
      : counted("refine.scored", each.num_nodes, { score: each.overall_score });
  const words = make("span", {}, make("b", {}, each.words), make("small", {}, score));
  return make(
    "li",
    {},
    make(
      "button",
      { type: "button", "data-refinement": each.id, on: { click: () => refining.show(each.id) } },
      picture,
      words,
    ),
  );
}

function teaching() {
  const steps = ["write", "make", "judge", "again"].map((step) =>
    make("li", {}, make("b", {}, say(`step.${step}`)), say(`step.${step}_hint`)),
  );
  return make(
    "div",
    { class: "o-empty o-refine-empty" },
    make("b", {}, say("refine.empty")),
    make("p", {}, say("refine.empty_hint")),
    make("ol", {}, ...steps),
    make("p", {}, say("refine.empty_end")),
  );
}

customElements.define("o-refine", Refine);
