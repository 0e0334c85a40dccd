// Files and their recipes in one zip.

import { toast } from "./errors.js";
import { counted, say } from "../data/facts.js";
import { make } from "./nodes.js";

/** Files and recipes in one archive, which the browser writes to disk while it comes. */
export function download(ids) {
  toast(counted("did.packing", ids.length));
  const frame = make("iframe", { name: "o-archive", hidden: true, title: say("chosen.zip") });
  const fields = ids.map((id) => make("input", { type: "hidden", name: "ids", value: id }));
  const form = make(
    "form",
    { method: "post", action: "/v1/library/archive", target: frame.name, hidden: true },
    ...fields,
  );
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
