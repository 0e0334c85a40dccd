// The request that Generate would post, as a command for a shell.

import { toast } from "./errors.js";
import { say } from "./facts.js";
import { form } from "./form_values.js";

/** A POSIX shell word: 'it'\''s'. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

export const curlOf = (request) =>
  `curl -sS ${location.origin}/v1/jobs -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(request))}`;

export async function copyAsCurl() {
  if (!form.values) return;
  const copied = await copy(curlOf(form.request()));
  toast(say(copied ? "curl.copied" : "curl.denied"), "", copied ? "good" : "bad");
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

// Plain http on another machine's address is no secure context, and has no clipboard interface.
function copyBySelection(text) {
  const box = Object.assign(document.createElement("textarea"), { value: text, className: "o-sr" });
  document.body.append(box);
  box.select();
  const copied = document.execCommand("copy");
  box.remove();
  return copied;
}
