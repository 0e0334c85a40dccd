// The checkpoint that this page's requests go to, selected here or the server's default: its summary and examples, how
// it is, and which choices it refuses.

import { kind } from "./facts.js";
import { live } from "./live.js";
import { Store } from "./store.js";

/** A checkpoint as engines have it: `{ id, state, title?, error?, … }`; undefined until the server has been heard. */
export function statusOf(system, id) {
  const { checkpoint, checkpoints } = system;
  if (!checkpoint || checkpoint.id === id) return checkpoint;
  return checkpoints?.[id] ?? { id, state: "unloaded" };
}

class Checkpoint extends Store {
  details = null; // an entry of /v1/checkpoints
  picked = null; // the id of the one that was selected on this page, instead of the default
  #refused = new Map(); // "resolution" → Map(value → reason)
  #spans = {}; // "num_frames" → { "256": { low, high, reason }, … }; "" stands for every tier
  #known = "";

  constructor() {
    super();
    live.addEventListener("state", () => this.#look());
  }

  /** Send this page's requests to another checkpoint, or with null to the default. */
  pick(id) {
    if (id === this.picked) return;
    this.picked = id;
    this.#look();
  }

  get id() {
    return this.picked ?? live.state.system.checkpoint?.id;
  }

  /** How it is, as `statusOf`, with its title. */
  get status() {
    const status = statusOf(live.state.system, this.id);
    return status && { title: this.details?.id === this.id ? this.details.title : this.id, ...status };
  }

  /** Why a value of a field cannot be had; empty when it can. */
  refusal(field, value) {
    return this.#refused.get(field)?.get(value) ?? "";
  }

  /** The values of a field that can be had; none where nothing is said of it. */
  allowed(field) {
    return [...(this.#refused.get(field) ?? [])].filter(([, why]) => !why).map(([value]) => value);
  }

  /** Whether all that a request says can be had, in its lists too: `controls.hint` is that of each control. */
  takes(request, list = "") {
    return Object.entries(request).every(([field, value]) =>
      Array.isArray(value)
        ? value.every((entry) => Object(entry) !== entry || this.takes(entry, `${list}${field}.`))
        : !this.refusal(list + field, value),
    );
  }

  /** Fields whose numbers are limited. */
  get limited() {
    return Object.keys(this.#spans);
  }

  /** How far a number may go at a tier: `{ low, high, reason }`, or undefined. */
  span(field, tier) {
    return this.#spans[field]?.[tier] ?? this.#spans[field]?.[""];
  }

  async #look() {
    const { id } = this;
    const now = `${id} ${this.status?.state}`;
    if (!id || now === this.#known) return;
    this.#known = now;
    try {
      /** @type {any[]} */
      const [shelf, choices] = await Promise.all(
        ["/v1/checkpoints", ...(kind ? [`/v1/choices/${kind}?checkpoint=${encodeURIComponent(id)}`] : [])].map((path) =>
          fetch(path).then((reply) => (reply.ok ? reply.json() : {})),
        ),
      );
      if (id !== this.id) return; // another one was selected meanwhile
      this.details = shelf.checkpoints?.find((entry) => entry.id === id) ?? null;
      this.#spans = choices?.limits ?? {};
      this.#refused = new Map(
        Object.entries(choices?.choices ?? {}).map(([field, options]) => [
          field,
          new Map(options.map(({ value, refused }) => [value, refused])),
        ]),
      );
    } catch {
      this.#known = ""; // The server went away meanwhile: ask again with the next message.
    }
    this.changed();
  }
}

export const checkpoint = new Checkpoint();
