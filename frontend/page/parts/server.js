// Requests of the page to its own server. A refusal becomes a toast unless the caller wants it.

import { say } from "../data/facts.js";
import { toast } from "./errors.js";
import { hintOf, wayOf } from "../data/faults.js";

/** The decoded answer, or null after a toast. */
export async function ask(method, path, body) {
  let response;
  let answer;
  try {
    response = await fetch(path, { method, body });
    answer = await response.json();
  } catch {
    toast(say("error.unreachable"), say("error.unreachable_hint"), "bad");
    return null;
  }
  if (response.ok) return answer;
  toast(answer.error?.message ?? say("error.unreachable"), hintOf(answer.error), "bad", wayOf(answer.error));
  return null;
}

/** The same with a JSON body. */
export const askJson = (method, path, body) =>
  ask(method, path, new Blob([JSON.stringify(body)], { type: "application/json" }));
