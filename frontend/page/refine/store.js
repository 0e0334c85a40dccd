// The refinement that is shown, as the server has it; the others in short; and which of its results is looked at.

import { onRevision } from "../data/live.js";
import { ask, askJson } from "../parts/server.js";
import { Store } from "../data/store.js";

const PATH = "/v1/refinements";
const TOGETHER_MS = 120; // of steps
const LISTED = 24;

class RefineStore extends Store {
  tree = null;
  list = []; // newest first, in short
  endpoints = {}; // role → address
  known = false; // whether the list has come
  #chosen = null; // the number of a node, or null for the best or the newest
  #turn = 0; // which order of a person is the latest: an older answer is not painted over a newer one
  #asked = 0; // the same of what is fetched because something has changed: no order waits less for its answer

  start() {
    onRevision("refinement_revision", TOGETHER_MS, () => this.#fetch());
    ask("GET", `${PATH}/reasoners`).then((found) => {
      this.endpoints = found?.endpoints ?? {};
      this.changed();
    });
  }

  /** The node that is looked at. */
  get node() {
    const nodes = this.tree?.nodes ?? [];
    return nodes[this.#chosen] ?? nodes[this.tree?.best?.node] ?? nodes[0] ?? null;
  }

  choose(number) {
    this.#chosen = number;
    this.changed();
  }

  async begin(request) {
    const turn = ++this.#turn;
    const tree = await askJson("POST", PATH, request);
    return turn === this.#turn ? this.#take(tree) : Boolean(tree);
  }

  async show(id) {
    const turn = ++this.#turn;
    const tree = await ask("GET", `${PATH}/${id}`);
    return turn === this.#turn && this.#take(tree);
  }

  /** Nothing is shown: another one is about to be begun. */
  leave() {
    this.#turn += 1;
    this.tree = null;
    this.#address("");
    this.changed();
  }

  stop() {
    return this.#act("stop");
  }

  resume() {
    return this.#act("resume");
  }

  async branch(node, words, rewrites) {
    const turn = ++this.#turn;
    const tree = await askJson("POST", `${PATH}/${this.tree.id}/branches`, { node, words, rewrites });
    if (!tree) return false;
    if (turn !== this.#turn) return true;
    this.tree = tree;
    this.choose(tree.nodes.length - 1);
    return true;
  }

  async #act(verb) {
    const turn = ++this.#turn;
    const tree = await ask("POST", `${PATH}/${this.tree.id}/${verb}`);
    if (tree && turn === this.#turn) this.tree = tree;
    this.changed();
  }

  #take(tree) {
    if (!tree) return false;
    this.tree = tree;
    this.#chosen = null;
    this.#address(`?id=${tree.id}`);
    this.changed();
    return true;
  }

  async #fetch() {
    const first = !this.known;
    const turn = this.#turn;
    const asked = ++this.#asked;
    const id = this.tree?.id ?? (first ? new URLSearchParams(location.search).get("id") : null);
    const [list, tree] = await Promise.all([
      ask("GET", `${PATH}?limit=${LISTED}`),
      id ? ask("GET", `${PATH}/${id}`) : null,
    ]);
    if (asked !== this.#asked) return;
    this.list = list?.refinements ?? this.list;
    this.known = true;
    // Another one may have been opened meanwhile.
    if (turn !== this.#turn) return this.changed();
    if (tree && (this.tree ? this.tree.id === tree.id : first)) this.tree = tree;
    else if (first && !id && !turn && this.list.length) return this.show(this.list[0].id);
    this.changed();
  }

  #address(query) {
    history.replaceState(history.state, "", location.pathname + query);
  }
}

export const refining = new RefineStore();
