// What can be done with several items at once; each says what it did, and how to take it back.

import { say } from "./facts.js";
import { toast } from "./errors.js";
import { library } from "./library_store.js";
import { selection } from "./library_selection.js";
import { make } from "./nodes.js";
import { confirmed } from "./sure.js";

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

/** Files and recipes in one archive, which the browser writes to disk while it comes. */
export function download(ids) {
  toast(did("packing", ids));
  const frame = make("iframe", { name: "o-archive", hidden: true, title: say("chosen.zip") });
  const fields = ids.map((id) => make("input", { type: "hidden", name: "ids", value: id }));
  const form = make("form", { method: "post", action: "/v1/library/archive", target: frame.name, hidden: true }, ...fields);
  document.querySelector("iframe[name=o-archive]")?.remove();
  document.body.append(frame, form);
  // A file leaves the frame as it was; only a refusal loads into it.
  frame.addEventListener("load", () => {
    const said = frame.contentDocument?.body?.textContent;
    if (said) toast(refusal(said), "", "bad");
  });
  form.submit();
  form.remove();
}

function refusal(said) {
  try {
    return JSON.parse(said).error.message;
  } catch {
    return say("error.unreachable");
  }
}
