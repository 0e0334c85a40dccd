// One question to the reasoner, its answer word by word.

import { faultWords } from "../data/faults.js";

/** Yields `{ text }` and `{ thought }` as they come; throws an Error with the server's words. */
export async function* streamed(body, signal) {
  const response = await fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
    signal,
  });
  if (!response.ok) throw refused(await response.json().catch(() => null));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event
        .split("\n")
        .find((line) => line.startsWith("data: "))
        ?.slice(6);
      if (!data || data === "[DONE]") continue;
      const said = JSON.parse(data);
      if (said.error) throw refused(said);
      const delta = said.choices?.[0]?.delta ?? {};
      if (delta.reasoning_content) yield { thought: delta.reasoning_content };
      if (delta.content) yield { text: delta.content };
    }
  }
}

/** What a refusal says, as an error. */
export const refused = (answer) => new Error(faultWords(answer?.error));
