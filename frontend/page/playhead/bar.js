// The bar of a playhead: play, step, seek, loop, speed; how cells are seen, against which; zoom.

import { say } from "../data/facts.js";
import { icon } from "../parts/icons.js";
import { isTyping } from "../parts/keyboard.js";
import { make, mark, show, write } from "../parts/nodes.js";

const SPEEDS = [1, 0.5, 0.25, 2];
export const VIEWS = ["side", "slider", "difference", "flicker"];
const STEPS = { j: -1, ArrowLeft: -1, l: 1, ArrowRight: 1 };
const TAKES_ARROWS = "[role=radio], [role=slider], [role=menu], input[type=range], select, .o-tile, .o-popover";

export class PlayheadBar {
  /** `act` has what a person can do beside moving the playhead: view(name), against(column), split(share), zoom(by). */
  constructor(head, act) {
    this.head = head;
    const button = (name, words, pressed, attributes = {}) =>
      make(
        "button",
        { type: "button", class: "o-play", "aria-label": words, title: words, on: { click: pressed }, ...attributes },
        icon(name, 17),
      );
    this.play = button("play", say("playhead.play"), () => head.toggle(), {
      "data-do": "play",
      "aria-keyshortcuts": "K",
    });
    this.seek = make("input", {
      type: "range",
      min: 0,
      step: 1,
      value: 0,
      "aria-label": say("playhead.seek"),
      on: { input: () => head.scrub(Number(this.seek.value)) },
    });
    this.clock = make("span", { class: "o-num", role: "timer", "aria-label": say("playhead.clock_label") });
    this.loop = make("button", {
      type: "button",
      class: "o-btn",
      "data-do": "loop",
      on: { click: () => this.#loop() },
    });
    this.speed = make(
      "button",
      {
        type: "button",
        class: "o-btn o-num",
        "aria-label": say("playhead.speed"),
        title: say("playhead.speed"),
        on: { click: () => this.#faster() },
      },
      "1×",
    );
    this.band = make("i", { class: "o-loop-band", hidden: true });
    this.moving = make(
      "div",
      { class: "o-playhead-line" },
      button("back", say("playhead.back"), () => head.step(-1), { "data-do": "back" }),
      this.play,
      button("forward", say("playhead.forward"), () => head.step(1), { "data-do": "forward" }),
      this.clock,
      make("span", { class: "o-seek" }, this.band, this.seek),
      this.loop,
      this.speed,
    );
    this.views = make("div", { class: "o-views", role: "group", "aria-label": say("playhead.views") });
    for (const name of VIEWS) {
      this.views.append(
        make(
          "button",
          {
            type: "button",
            class: "o-btn",
            "data-view": name,
            "aria-pressed": String(name === "side"),
            on: { click: () => act.view(name) },
          },
          say(`playhead.view_${name}`),
        ),
      );
    }
    this.against = make("select", {
      class: "o-select",
      "aria-label": say("playhead.against"),
      on: { change: () => act.against(Number(this.against.value)) },
    });
    this.split = make("input", {
      type: "range",
      min: 0,
      max: 100,
      step: 0.5,
      value: 50,
      hidden: true,
      "aria-label": say("playhead.split"),
      on: { input: () => act.split(Number(this.split.value) / 100) },
    });
    this.zoom = make(
      "div",
      { class: "o-zoom", role: "group", "aria-label": say("playhead.zoom") },
      make(
        "button",
        {
          type: "button",
          class: "o-btn",
          "aria-label": say("playhead.zoom_out"),
          title: say("playhead.zoom_out"),
          on: { click: () => act.zoom(1 / 1.5) },
        },
        "−",
      ),
      make(
        "button",
        {
          type: "button",
          class: "o-btn o-num",
          "data-do": "zoom",
          "aria-label": say("playhead.zoom_reset"),
          title: say("playhead.zoom_reset"),
          on: { click: () => act.zoom(0) },
        },
        "1×",
      ),
      make(
        "button",
        {
          type: "button",
          class: "o-btn",
          "aria-label": say("playhead.zoom_in"),
          title: say("playhead.zoom_in"),
          on: { click: () => act.zoom(1.5) },
        },
        "+",
      ),
    );
    this.seeing = make(
      "div",
      { class: "o-playhead-line" },
      this.views,
      make("label", { class: "o-against" }, make("span", {}, say("playhead.against_short")), this.against),
      this.split,
      make("span", { class: "o-grow" }),
      this.zoom,
    );
    this.said = make("p", { class: "o-playhead-said", hidden: true });
    this.node = make("div", { class: "o-playhead-bar" }, this.moving, this.seeing, this.said);
    this.onkey = (event) => this.#key(event);
  }

  /** Bring it up to date with the playhead. */
  paint() {
    const { head } = this;
    show(this.moving, head.length > 0);
    this.seek.max = head.frames - 1;
    this.seek.value = head.frame;
    this.seek.style.setProperty("--range_progress", `${(100 * head.frame) / Math.max(head.frames - 1, 1)}%`);
    mark(this.seek, "aria-valuetext", say("playhead.frame", { frame: head.frame + 1, frames: head.frames }));
    write(
      this.clock,
      say("playhead.clock", { time: (head.frame / head.fps).toFixed(3), frame: head.frame + 1, frames: head.frames }),
    );
    mark(this.node, "data-frame", head.frame);
    const name = head.playing ? "pause" : "play";
    if (this.play.firstChild.dataset.icon !== name) {
      this.play.replaceChildren(icon(name, 17));
      mark(this.play, "aria-label", say(`playhead.${name}`));
      mark(this.play, "title", say(`playhead.${name}`));
    }
    const { range, length } = head;
    write(
      this.loop,
      say(range ? (range[1] < length - 1e-6 ? "playhead.loop_clear" : "playhead.loop_end") : "playhead.loop_start"),
    );
    mark(this.loop, "aria-pressed", String(Boolean(range)));
    show(this.band, Boolean(range));
    if (range)
      Object.assign(this.band.style, {
        left: `${(100 * range[0]) / length}%`,
        width: `${(100 * (range[1] - range[0])) / length}%`,
      });
  }

  paintView(view, { columns, against, zoom }) {
    for (const button of this.views.children) mark(button, "aria-pressed", String(button.dataset.view === view));
    show(this.views, columns.length > 1);
    show(this.against.parentNode, view !== "side" && columns.length > 1);
    show(this.split, view === "slider");
    if ([...this.against.options].map(({ text }) => text).join("\n") !== columns.join("\n")) {
      this.against.replaceChildren(...columns.map((label, column) => make("option", { value: column }, label)));
    }
    this.against.value = against;
    write(this.zoom.querySelector("[data-do=zoom]"), `${Number(zoom.toFixed(1))}×`);
  }

  #loop() {
    const { range, length } = this.head;
    this.head.loop(!range ? "start" : range[1] < length - 1e-6 ? null : "end");
  }

  #faster() {
    const rate = SPEEDS[(SPEEDS.indexOf(this.head.rate) + 1) % SPEEDS.length];
    this.head.setRate(rate);
    write(this.speed, `${rate}×`);
  }

  #key(event) {
    if (
      event.defaultPrevented ||
      !this.moving.offsetParent ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping(event)
    )
      return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key.startsWith("Arrow") && event.target.closest?.(TAKES_ARROWS)) return;
    if (event.key === "k") this.head.toggle();
    else if (event.key === "[") this.head.loop("start");
    else if (event.key === "]") this.head.loop("end");
    else if (event.key === "\\") this.head.loop(null);
    else if (STEPS[event.key]) this.head.step(STEPS[event.key]);
    else return;
    event.preventDefault();
  }
}
