// The refinement that is shown, as the server has it; the others in short; and which of its results is looked at.

import { live } from "./live.js";
import { ask, askJson } from "./server.js";

const PATH = "/v1/refinements";
const TOGETHER_MS = 120; // changes that come at once are fetched at once
const LISTED = 24;

class RefineStore extends EventTarget {
  tree = null;
  list = []; // newest first, in short
  endpoints = {}; // role → address
  known = false; // whether the list has come
  #chosen = null; // the number of a node, or null for the best or the newest
  #revision = null;
  #due = 0;

  start() {
    live.addEventListener("state", () => {
      const revision = live.state.system.refinement_revision;
      if (revision === undefined || revision === this.#revision) return;
      this.#revision = revision;
      this.#due ||= setTimeout(() => {
        this.#due = 0;
        this.#fetch();
      }, TOGETHER_MS);
    });
    ask("GET", `${PATH}/reasoners`).then((found) => {
      this.endpoints = found?.endpoints ?? {};
      this.#changed();
    });
  }

  /** The node that is looked at. */
  get node() {
    const nodes = this.tree?.nodes ?? [];
    return nodes[this.#chosen] ?? nodes[this.tree?.best?.node] ?? nodes[0] ?? null;
  }

  choose(number) {
    this.#chosen = number;
    this.#changed();
  }

  async begin(request) {
    return this.#take(await askJson("POST", PATH, request));
  }

  async show(id) {
    return this.#take(await ask("GET", `${PATH}/${id}`));
  }

  /** Nothing is shown: another one is about to be begun. */
  leave() {
    this.tree = null;
    this.#address("");
    this.#changed();
  }

  stop() {
    return this.#act("stop");
  }

  resume() {
    return this.#act("resume");
  }

  async branch(node, words, rewrites) {
    const tree = await askJson("POST", `${PATH}/${this.tree.id}/branches`, { node, words, rewrites });
    if (!tree) return false;
    this.tree = tree;
    this.choose(tree.nodes.length - 1);
    return true;
  }

  async #act(verb) {
    const tree = await ask("POST", `${PATH}/${this.tree.id}/${verb}`);
    if (tree) this.tree = tree;
    this.#changed();
  }

  #take(tree) {
    if (!tree) return false;
    this.tree = tree;
    this.#chosen = null;
    this.#address(`?id=${tree.id}`);
    this.#changed();
    return true;
  }

  async #fetch() {
    const first = !this.known;
    const id = this.tree?.id ?? (first ? new URLSearchParams(location.search).get("id") : null);
    const [list, tree] = await Promise.all([ask("GET", `${PATH}?limit=${LISTED}`), id ? ask("GET", `${PATH}/${id}`) : null]);
    this.list = list?.refinements ?? this.list;
    this.known = true;
    // Another one may have been opened meanwhile.
    if (tree && (this.tree ? this.tree.id === tree.id : first)) this.tree = tree;
    else if (first && !id && this.list.length) return this.show(this.list[0].id);
    this.#changed();
  }

  #address(query) {
    history.replaceState(history.state, "", location.pathname + query);
  }

  #changed() {
    this.dispatchEvent(new Event("state"));
  }
}

export const refining = new RefineStore();
