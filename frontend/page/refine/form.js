// What is to be refined: words, what it starts from, size, how many candidates and rounds, and who takes each role.

import { say } from "../data/facts.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { MediaBox } from "../media/media_box.js";
import { refining } from "./store.js";
import { ask } from "../parts/server.js";

const ROLES = ["upsampler", "critic", "rewriter"];
const CHOSEN = ["resolution", "aspect_ratio"];
const SHAPES = ["16:9", "4:3", "1:1", "3:4", "9:16"];
const SIZES = ["256", "480", "720", "768"];

export class RefineForm {
  #start = null;
  #kind = "generate_image";
  #asked = "";
  #shown = null;

  constructor() {
    this.words = make("textarea", {
      id: "refine-prompt",
      rows: 4,
      "data-hot": "words",
      placeholder: say("refine.prompt_hint"),
      "aria-label": say("refine.prompt"),
    });
    this.kinds = ["generate_image", "generate_video"].map((kind) =>
      make(
        "button",
        { type: "button", class: "o-chip", "data-kind": kind, on: { click: () => this.#become(kind) } },
        say(`refine.${kind}`),
      ),
    );
    this.box = new MediaBox({
      types: ["image"],
      title: say("refine.start"),
      empty: say("refine.start_empty"),
      picked: ({ id }) => this.#begin(id),
      cleared: () => this.#begin(null),
      small: true,
    });
    this.size = select("resolution", SIZES, (size) => `${size}p`);
    this.shape = select("aspect_ratio", SHAPES);
    this.steps = number("steps", { min: 1, max: 1000 });
    this.seed = number("seed", { min: 0, max: 4294967295 });
    this.frames = number("frames", { min: 5, max: 400, step: 4 });
    this.candidates = number("candidates", { min: 1, max: 8, value: 1 });
    this.rewrites = number("rewrites", { min: 0, max: 8, value: 2 });
    this.enough = number("enough", { min: 0, max: 10, step: 0.5, value: 9 });
    this.seconds = number("seconds", { min: 1 });
    this.tokens = number("tokens", { min: 1 });
    this.roles = ROLES.map((role) => select(role, ["server", "resident", "endpoint"], (who) => say(`answerer.${who}`)));
    this.go = make(
      "button",
      { type: "submit", class: "o-btn o-primary o-refine-go", "data-hot": "submit" },
      say("refine.go"),
    );
    this.note = make("p", { class: "o-hint" });
    this.clip = [this.box.node, field("frames", this.frames)];
    this.node = make(
      "form",
      { class: "o-card-plain o-refine-form" },
      this.words,
      make("div", { class: "o-refine-kinds", role: "group", "aria-label": say("refine.what") }, ...this.kinds),
      this.clip[0],
      make(
        "div",
        { class: "o-refine-grid" },
        field("resolution", this.size),
        field("aspect_ratio", this.shape),
        field("steps", this.steps),
        field("seed", this.seed),
        this.clip[1],
      ),
      make(
        "div",
        { class: "o-refine-grid" },
        field("candidates", this.candidates),
        field("rewrites", this.rewrites),
        field("enough", this.enough),
      ),
      make(
        "details",
        {},
        make("summary", {}, say("refine.more")),
        make(
          "div",
          { class: "o-refine-grid" },
          field("seconds", this.seconds),
          field("tokens", this.tokens),
          ...ROLES.map((role, index) => field(role, this.roles[index])),
        ),
        this.note,
      ),
      this.go,
    );
    this.node.noValidate = true;
    this.node.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#become(this.#kind);
    const used = new URLSearchParams(location.search).get("use");
    if (used) this.#use(used);
    document.addEventListener("o-files", ({ detail }) => {
      this.#become("generate_video");
      this.box.node.dispatchEvent(new CustomEvent("o-file", { detail: detail[0] }));
    });
  }

  /** What is shown was asked for like this; what somebody has begun to write stays. */
  follow({ id, request: asked }) {
    if (this.#shown === id) return;
    this.#shown = id;
    if (this.words.value) return;
    this.#recall(asked.generate);
    this.candidates.value = asked.num_candidates;
    this.rewrites.value = asked.max_rewrites;
    this.enough.value = asked.good_enough;
    this.seconds.value = asked.budget_s ?? "";
    this.tokens.value = asked.budget_tokens ?? "";
    ROLES.forEach((role, index) => (this.roles[index].value = asked[role]));
  }

  // What made a result of the library.
  async #use(id) {
    const request = (await ask("GET", `/v1/library/${encodeURIComponent(id)}`))?.request;
    if (["generate_image", "generate_video"].includes(request?.kind)) this.#recall(request);
  }

  // As far as the form has fields for it; a caption is written anew from its words.
  #recall(request) {
    this.#become(request.kind);
    this.words.value = request.written_from || request.prompt;
    this.size.value = request.resolution;
    this.shape.value = request.aspect_ratio;
    this.steps.value = request.sampling.num_inference_steps;
    this.seed.value = request.sampling.seed;
    this.#settle();
    if (request.kind !== "generate_video") return;
    this.frames.value = request.num_frames;
    if (request.start_image) this.#begin(request.start_image);
  }

  paint({ system }) {
    // An endpoint that this server does not know cannot be chosen, and says so.
    ROLES.forEach((role, index) => {
      const option = this.roles[index].lastChild;
      option.disabled = !refining.endpoints[role];
      write(
        option,
        refining.endpoints[role] ? say("answerer.at", { address: refining.endpoints[role] }) : say("answerer.none"),
      );
    });
    write(this.note, say("refine.roles_hint"));
    const served = system.checkpoint?.id;
    if (served) this.#choices(served);
  }

  // What this checkpoint cannot make is shown, and says why.
  async #choices(served) {
    const asked = `${served} ${this.#kind}`;
    if (asked === this.#asked) return;
    this.#asked = asked;
    const reply = await fetch(`/v1/choices/${this.#kind}`).catch(() => null);
    if (asked !== this.#asked) return;
    if (!reply?.ok) this.#asked = "";
    const choices = reply?.ok ? (await reply.json()).choices : {};
    [this.size, this.shape].forEach((list, index) => {
      for (const { value, refused } of choices[CHOSEN[index]] ?? []) {
        const option = [...list.options].find((each) => each.value === String(value));
        if (!option) continue;
        option.disabled = Boolean(refused);
        mark(option, "title", refused?.message ?? refused);
      }
    });
    this.#settle();
  }

  // What was chosen and cannot be made gives way to what can.
  #settle() {
    for (const list of [this.size, this.shape]) {
      const open = [...list.options].find((option) => !option.disabled);
      if (list.selectedOptions[0]?.disabled && open) list.value = open.value;
    }
  }

  #become(kind) {
    this.#kind = kind;
    for (const button of this.kinds) mark(button, "aria-pressed", String(button.dataset.kind === kind));
    for (const node of this.clip) show(node, kind === "generate_video");
    this.frames.disabled = kind !== "generate_video"; // what is hidden is not looked at
    if (live.state.system?.checkpoint?.id) this.#choices(live.state.system.checkpoint.id);
    this.shape.value = kind === "generate_video" ? "16:9" : "1:1";
    this.#settle();
  }

  #begin(id) {
    this.#start = id;
    this.box.show(id);
  }

  async #send() {
    const wrong = !this.words.value.trim()
      ? this.words
      : [...this.node.elements].find((each) => each.willValidate && !each.checkValidity());
    if (wrong) {
      mark(wrong, "aria-invalid", "true");
      wrong.addEventListener("input", () => mark(wrong, "aria-invalid", null), { once: true });
      wrong.closest("details")?.setAttribute("open", "");
      return wrong.focus();
    }
    this.go.disabled = true;
    await refining.begin(this.#request());
    this.go.disabled = false;
  }

  #request() {
    const sampling = said({
      num_inference_steps: count(this.steps),
      seed: count(this.seed) ?? Math.floor(Math.random() * 2 ** 32 - 8),
    });
    const clip =
      this.#kind === "generate_video" ? said({ start_image: this.#start, num_frames: count(this.frames) }) : {};
    const generate = {
      kind: this.#kind,
      prompt: this.words.value,
      resolution: this.size.value,
      aspect_ratio: this.shape.value,
      sampling,
      ...clip,
    };
    const roles = Object.fromEntries(ROLES.map((role, index) => [role, this.roles[index].value]));
    return said({
      generate,
      num_candidates: count(this.candidates),
      max_rewrites: count(this.rewrites),
      good_enough: count(this.enough),
      budget_s: count(this.seconds),
      budget_tokens: count(this.tokens),
      ...roles,
    });
  }
}

const count = (input) => (input.value === "" ? undefined : Number(input.value));

const said = (fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

const field = (name, input) => make("label", {}, make("span", {}, say(`field.${name}`)), input);

const number = (name, limits) =>
  make("input", { type: "number", class: "o-select", name, step: 1, placeholder: say(`unsaid.${name}`), ...limits });

const select = (name, values, shown = (value) => value) =>
  make("select", { class: "o-select", name }, ...values.map((value) => make("option", { value }, shown(value))));
