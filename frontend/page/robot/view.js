// The canvas exactly as the policy sees it, the video that it predicted where it sends one, and how to start a robot
// where none is.

import { say } from "../data/facts.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { PictureCanvas } from "../media/picture_canvas.js";
import { robot } from "./link.js";
import { PredictedVideo } from "./predicted.js";

const RATE_OVER_MS = 2000;

class View extends Part {
  #drawnAt = [];
  #predicts = false; // whether a chunk came with a video

  sources() {
    return [robot];
  }

  build() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", say("view.label"));
    this.canvas = make("canvas", {
      role: "img",
      "aria-label": say("view.picture"),
      width: 640,
      height: 540,
      hidden: true,
    });
    this.picture = new PictureCanvas(this.canvas, () => this.#drawn());
    this.predicted = new PredictedVideo();
    this.lead = make("b");
    this.rest = make("div");
    this.words = make("div", { class: "o-stage-words" }, this.lead, this.rest);
    this.caption = make("span", { class: "o-num" });
    this.policy = make("span", { class: "o-policy" }, make("i", { class: "o-dot" }), make("span"));
    this.append(
      make("div", { class: "o-eyes" }, this.canvas, this.predicted.node, this.words),
      make("div", { class: "o-under" }, this.caption, this.predicted.button, this.policy),
    );
    robot.want("canvas");
    robot.addEventListener("frame", ({ detail }) => detail.topic === "canvas" && this.picture.show(detail.image));
    robot.addEventListener("chunk", ({ detail }) => (this.#predicts ||= detail.has_video));
    let shown = "";
    robot.addEventListener("tick", ({ detail }) => {
      const now = `${detail.policy} ${detail.policy_words} ${detail.has_views}`;
      if (now !== shown) this.later();
      shown = now;
    });
  }

  #drawn() {
    const now = performance.now();
    this.#drawnAt = [...this.#drawnAt.filter((at) => now - at < RATE_OVER_MS), now];
    this.dataset.frames = String(Number(this.dataset.frames ?? 0) + 1);
    if (this.#drawnAt.length % 5 === 1) this.later();
  }

  paint() {
    const { tick } = robot.now;
    const there = robot.status === "open" && robot.now.connected;
    const blind = there && tick && !tick.has_views;
    const seen = there && !blind && this.#drawnAt.length > 0;
    if (!there) this.#drawnAt = [];
    show(this.canvas, seen);
    show(this.words, !seen);
    this.#paintWords(there, blind);
    const spanS = (this.#drawnAt.at(-1) - this.#drawnAt[0]) / 1000;
    const rate = spanS > 0.5 ? ((this.#drawnAt.length - 1) / spanS).toFixed(0) : "–";
    write(
      this.caption,
      seen ? say("view.caption", { width: this.canvas.width, height: this.canvas.height, rate }) : "",
    );
    show(this.predicted.button, there && (this.#predicts || Boolean(tick?.policy_predicts)));
    show(this.policy, Boolean(there && tick));
    if (!there || !tick) return;
    const [dot, words] = this.policy.children;
    mark(dot, "data-state", { ready: "good", connecting: "wait" }[tick.policy] ?? "bad");
    write(words, say(`policy.${tick.policy}`));
    mark(this.policy, "title", tick.policy_words || null);
  }

  #paintWords(there, blind) {
    const key = there ? (blind ? "blind" : "waiting") : robot.standing + robot.problem;
    if (this.words.dataset.key === key) return;
    this.words.dataset.key = key;
    const [lead, rest] = {
      none: [say("view.none"), robot.problem ? [robot.problem] : howToStart()],
      gone: [say("view.gone"), [say("view.gone_hint")]],
      blind: [say("view.blind"), [say("view.blind_hint")]],
      waiting: [say("view.waiting"), []],
    }[there ? key : robot.standing] ?? [say(`why.${robot.standing}`), []];
    write(this.lead, lead);
    this.rest.replaceChildren(...rest);
  }
}

function howToStart() {
  const server = location.origin;
  return [
    make("p", {}, say("view.none_served"), make("code", {}, "orrery serve --robot simulated")),
    make("p", {}, say("view.none_simulated"), make("code", {}, `orrery robot --arm simulated --server ${server}`)),
    make("p", {}, say("view.none_real"), make("code", {}, `orrery robot --arm franka --host … --server ${server}`)),
  ];
}

customElements.define("o-robot-view", View);
