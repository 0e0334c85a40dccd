// Server-sent events of a response, each as the JSON that it holds.

/** Every event as it comes; one that is no JSON, as the last of OpenAI's streams, is left out. */
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
