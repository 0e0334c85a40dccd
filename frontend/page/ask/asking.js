// Asking: words go through the chat, tasks through their own route; one at a time, and each can be stopped.

import { say } from "../data/facts.js";
import { subject } from "./subject.js";
import { chats } from "./store.js";
import { faultWords } from "../data/faults.js";
import { sampling } from "./sampling.js";
import { Store } from "../data/store.js";
import { live } from "../data/live.js";

const REMEMBERED_TURNS = 20;
const PART = { image: "image_url", video: "video_url" };

let leaving = false;
addEventListener("pagehide", () => {
  leaving = true;
});
addEventListener("pageshow", () => {
  leaving = false;
});

class Asking extends Store {
  thinks = false; // whether the reasoner writes its reasoning before the answer
  #stopper = null;

  get busy() {
    return this.#stopper !== null;
  }

  stop() {
    this.#stopper?.abort();
  }

  think(thinks) {
    this.thinks = thinks;
    this.changed();
  }

  async words(text) {
    const said = sampling.forWords();
    const [id, item] = [subject.id, subject.item];
    chats.add(id, { role: "user", text });
    await this.#answer(id, async (turn, signal) => {
      const body = {
        model: live.state.system.checkpoint?.id,
        messages: messagesOf(chats.turns(id).slice(0, -1), item, this.thinks),
        ...said,
      };
      for await (const { text: more = "", thought = "" } of streamed(body, signal)) {
        chats.grow(turn, { text: turn.text + more, thought: turn.thought + thought });
      }
    });
  }

  /** Ask a task about the item. */
  async task(task, words) {
    const { id } = subject;
    const said = Object.values(words).filter(Boolean).join(", ");
    chats.add(id, {
      role: "user",
      text: said ? say("ask.task_words", { title: task.title, words: said }) : task.title,
      task: task.id,
      words,
    });
    await this.#answer(id, async (turn, signal) => {
      const response = await fetch(`/v1/tasks/${task.id}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ media: id, words, ...(this.thinks ? { thinking: true } : {}), ...sampling.forTask() }),
        signal,
      });
      const answer = await response.json();
      if (!response.ok) throw refused(answer);
      chats.grow(turn, answer);
    });
  }

  /** The last question once more: its answer was interrupted, or failed. */
  again() {
    const { id } = subject;
    const { text, task, words } = chats.turns(id).at(-2);
    chats.takeBack(id);
    if (task) this.task({ id: task, title: text.split(":")[0] }, words ?? {});
    else this.words(text);
  }

  async #answer(id, fill) {
    this.#stopper = new AbortController();
    const turn = chats.add(id, { role: "assistant", text: "", thought: "", results: [], open: true });
    this.changed();
    const last = {};
    try {
      await fill(turn, this.#stopper.signal);
    } catch (error) {
      if (leaving) return; // what is kept says that the answer was left open
      if (error.name === "AbortError") last.stopped = true;
      else last.error = (error.name === "Error" && error.message) || say("error.unreachable");
    }
    this.#stopper = null;
    chats.grow(turn, { ...last, open: false }, true);
    this.changed();
  }
}

// The item is shown with the first question. Answers that failed, and their questions, are left out.
function messagesOf(turns, item, thinks) {
  const said = turns.filter(
    (turn, index) => !turn.task && turn.text && !turn.error && !(turn.role === "user" && turns[index + 1]?.error),
  );
  let kept = said.slice(-REMEMBERED_TURNS);
  kept = kept
    .slice(
      Math.max(
        kept.findIndex((turn) => turn.role === "user"),
        0,
      ),
    )
    .filter((turn, index) => !(turn.role === "assistant" && said[index - 1]?.task));
  const messages = kept.map(({ role, text }) => ({ role, content: [{ type: "text", text }] }));
  const asked = messages.at(-1);
  if (thinks && asked) asked.content[0].text += `\n\n${say("ask.think_format")}`;
  const part = PART[item?.type];
  if (part && messages.length) messages[0].content.unshift({ type: part, [part]: { url: `media:${item.id}` } });
  return messages;
}

// The answer to one question, word by word: yields `{ text }` and `{ thought }` as they come; throws an Error with the
// server's words.
async function* streamed(body, signal) {
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

// What a refusal says, as an error.
const refused = (answer) => new Error(faultWords(answer?.error));

export const asking = new Asking();
