// Files and their recipes in one zip.

import { counted, say } from "../data/facts.js";
import { html, render, useLayoutEffect, useRef } from "../vendor/preact.js";
import { toast } from "./errors.js";

const place = document.createElement("div");

/** Files and recipes in one archive, which the browser writes to disk while it comes. */
export function download(ids) {
  toast(counted("did.packing", ids.length));
  document.body.append(place);
  render(html`<${Order} key=${Date.now()} ids=${ids} />`, place);
}

function Order({ ids }) {
  const form = useRef(null);
  useLayoutEffect(() => form.current.submit(), []);
  // A file leaves the frame as it was; only a refusal loads into it.
  function onLoad({ target }) {
    const said = target.contentDocument?.body?.textContent;
    if (said) toast(refusal(said), "", "bad");
  }
  return html`
    <iframe name="o-archive" title=${say("chosen.zip")} hidden onLoad=${onLoad} />
    <form ref=${form} method="post" action="/v1/library/archive" target="o-archive" hidden>
      ${ids.map((id) => html`<input type="hidden" name="ids" value=${id} />`)}
    </form>
  `;
}

function refusal(said) {
  try {
    return JSON.parse(said).error.message;
  } catch {
    return say("error.unreachable");
  }
}
