// Requests of the page to its own server. A refusal becomes a toast unless the caller wants it.

import { say } from "../data/facts.js";
import { toast } from "./errors.js";
import { hintOf, wayOf } from "../data/faults.js";
import { useEffect, useRef, useSignal } from "../vendor/preact.js";

/** The decoded answer, {} where it is empty, or null after a toast. */
export async function ask(method, path, body) {
  let response;
  let answer;
  try {
    response = await fetch(path, { method, body });
    answer = response.status === 204 ? {} : await response.json();
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

/** What a path answers, null before it has; asked for again whenever `now` changes, not while it is false. */
export function useAnswer(path, now) {
  const found = useSignal(null);
  const asked = useRef(null);
  useEffect(() => {
    if (!now || now === asked.current) return;
    asked.current = now;
    askTogether(path).then((answer) => {
      if (answer) found.value = answer;
      else asked.current = null; // asked for again when the server is heard of
    });
  });
  return found.value;
}

const underWay = new Map();

// What several parts of a page want at once is asked for once.
function askTogether(path) {
  if (!underWay.has(path))
    underWay.set(
      path,
      ask("GET", path).finally(() => underWay.delete(path)),
    );
  return underWay.get(path);
}

/**
 * The server-sent events of a response as they come, each the JSON that it holds. One that holds none, as the last of
 * OpenAI's streams, is left out.
 */
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const line = event.split("\n").find((found) => found.startsWith("data: {"));
      if (line) yield JSON.parse(line.slice("data: ".length));
    }
  }
}
