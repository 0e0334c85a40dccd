// What can be done with several items at once; each says what it did, and how to take it back.

import { say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { library } from "./store.js";
import { selection } from "./selection.js";
import { confirmed } from "../parts/sure.js";

const one = (ids) => (ids.length === 1 ? "_one" : "");
const did = (name, ids) => say(`did.${name}${one(ids)}`, { count: ids.length });

/** Into the trash, with the way back. */
export async function trash(ids) {
  selection.forget(ids);
  if (!(await library.trash(ids))) return;
  toast(did("trashed", ids), "", "good", { words: say("did.undo"), act: () => restore(ids) });
}

export async function restore(ids) {
  selection.forget(ids);
  if (await library.restore(ids)) toast(did("restored", ids));
}

/** Away for good: asked before, since nothing brings it back. Without ids, the whole trash. */
export async function erase(ids) {
  const sure = ids ? say(ids.length === 1 ? "sure.erase_one" : "sure.erase", { count: ids.length }) : say("sure.empty");
  if (!(await confirmed(sure, say("sure.yes"), say("sure.no")))) return;
  if (ids) selection.forget(ids);
  if (await library.erase(ids)) toast(say("did.erased"));
}
