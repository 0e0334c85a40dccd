// Asking: words go through the chat, tasks through their own route; one at a time, and each can be stopped.

import { say } from "../data/facts.js";
import { subject } from "./subject.js";
import { chats } from "./store.js";
import { faultWords } from "../data/faults.js";
import { sampling } from "./sampling.js";
import { Store } from "../data/store.js";
import { eventsOf } from "../parts/server.js";
import { live } from "../data/live.js";
import { worn } from "../parts/reasoner_adapter.js";

const REMEMBERED_TURNS = 20;
const ATTEMPTS = 3;
const WAIT_MS = 1000;
const CHAT = "/v1/chat/completions";
const PART = { image: "image_url", video: "video_url" };

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
    const body = {
      model: live.state.system.checkpoint?.id,
      messages: messagesOf(chats.turns(id), item, this.thinks),
      stream: true,
      ...(worn.name ? { lora: { name: worn.name } } : {}),
      ...said,
    };
    await this.#ask(id, { path: CHAT, body });
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
    const body = {
      media: id,
      words,
      ...(worn.name ? { adapter: { name: worn.name } } : {}),
      ...(this.thinks ? { thinking: true } : {}),
      ...sampling.forTask(),
    };
    await this.#ask(id, { path: `/v1/tasks/${task.id}`, body });
  }

  /** The answer about an item that another page, or this one earlier, was left in: it went on meanwhile. */
  resume(id) {
    const turn = chats.turns(id).at(-1);
    if (turn?.open && !this.busy) this.#answer(turn);
  }

  /** The last question once more: its answer was interrupted, or failed. */
  again() {
    const { id } = subject;
    const { text, task, words } = chats.turns(id).at(-2);
    chats.takeBack(id);
    if (task) this.task({ id: task, title: text.split(":")[0] }, words ?? {});
    else this.words(text);
  }

  #ask(id, call) {
    const turn = { role: "assistant", text: "", thought: "", results: [], open: true, call, key: newKey() };
    return this.#answer(chats.add(id, turn));
  }

  // The same call with the same key is sent the answer from its beginning, however much of it is written. So it is
  // asked for again where the connection broke; where that was the page's end, the next page does.
  async #answer(turn) {
    this.#stopper = new AbortController();
    this.changed();
    const { signal } = this.#stopper;
    const last = {};
    for (let attempt = 1; ; attempt += 1) {
      try {
        await read(turn, signal);
        break;
      } catch (error) {
        if (error.name === "AbortError") {
          last.stopped = true;
          fetch(`${CHAT}/${turn.key}`, { method: "DELETE" }).catch(() => {});
        } else if (error.name === "Error") last.error = error.message;
        else if (attempt === ATTEMPTS) last.error = say("error.unreachable");
        if (last.stopped || last.error) break;
        await new Promise((resolve) => setTimeout(resolve, attempt * WAIT_MS));
      }
    }
    this.#stopper = null;
    chats.grow(turn, { ...last, open: false, call: undefined }, true);
    this.changed();
  }
}

// Throws an Error with the server's words where it refuses.
async function read(turn, signal) {
  const { path, body } = turn.call;
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": turn.key },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw refused(await response.json().catch(() => null));
  if (!body.stream) return chats.grow(turn, await response.json());
  chats.grow(turn, { text: "", thought: "" });
  for await (const { text = "", thought = "" } of pieces(response))
    chats.grow(turn, { text: turn.text + text, thought: turn.thought + thought });
}

// Not crypto.randomUUID, which a page over plain HTTP from another machine does not have.
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join("-");

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

// A streamed answer word by word: yields `{ text }` and `{ thought }`; throws an Error with the server's words.
async function* pieces(response) {
  for await (const said of eventsOf(response)) {
    if (said.error) throw refused(said);
    const delta = said.choices?.[0]?.delta ?? {};
    if (delta.reasoning_content) yield { thought: delta.reasoning_content };
    if (delta.content) yield { text: delta.content };
  }
}

// What a refusal says, as an error.
const refused = (answer) => new Error(faultWords(answer?.error));

export const asking = new Asking();
