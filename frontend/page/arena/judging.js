// Reasoners that vote: one pair after the other, for as long as the page is open.

import { arena } from "./store.js";
import { counted, say } from "../data/facts.js";
import { hintOf } from "../data/faults.js";
import { seen } from "../data/store.js";
import { toast } from "../parts/errors.js";
import { html, useSignal } from "../vendor/preact.js";

const NUMBERS = [1, 10, 50];

export function Judging() {
  const chosen = useSignal("");
  const number = useSignal(NUMBERS[0]);
  const stopping = useSignal(null); // while it runs: what stops it
  const told = useSignal("");
  const { reasoners } = seen(arena);
  const able = reasoners.filter(({ ready }) => ready).map(({ name }) => name);
  const judge = able.includes(chosen.value) ? chosen.value : (able[0] ?? "");

  async function run() {
    stopping.value = new AbortController();
    const { signal } = stopping.value;
    const wanted = number.value;
    let done = 0;
    try {
      for (; done < wanted; done += 1) {
        told.value = say("judging.running", { done, number: wanted });
        const contest = arena.standings?.contest;
        const response = await fetch("/v1/arena/judgements", {
          method: "POST",
          body: JSON.stringify({ judge, ...(contest ? { contest } : {}) }),
          headers: { "content-type": "application/json" },
          signal,
        });
        const answer = await response.json();
        if (!response.ok) {
          if (answer.error.code !== "pair_not_found" || done === 0)
            toast(answer.error.message, hintOf(answer.error), "bad");
          break;
        }
        arena.ask();
      }
    } catch (error) {
      if (error.name !== "AbortError") toast(say("error.unreachable"), say("error.unreachable_hint"), "bad");
    } finally {
      stopping.value = null;
      told.value = counted("judging.done", done);
      arena.ask();
    }
  }

  return html`
    <o-arena-judging data-state=${stopping.value ? "running" : "idle"}>
      <section class="o-card-plain o-arena-section">
        <h2>${say("judging.title")}</h2>
        <p class="o-hint">${say("judging.hint")}</p>
        <div class="o-arena-line">
          <select
            class="o-select"
            aria-label=${say("judging.judge")}
            value=${judge}
            onFocus=${() => arena.askReasoners()}
            onChange=${({ currentTarget }) => (chosen.value = currentTarget.value)}
          >
            ${reasoners.map(
              ({ name, title, ready }) => html`
                <option key=${name} value=${name} disabled=${!ready}>
                  ${ready ? title : say("judging.not_loaded", { title })}
                </option>
              `,
            )}
          </select>
          <select
            class="o-select"
            aria-label=${say("judging.number")}
            value=${number.value}
            onChange=${({ currentTarget }) => (number.value = Number(currentTarget.value))}
          >
            ${NUMBERS.map((pairs) => html`<option value=${pairs}>${counted("judging.pairs", pairs)}</option>`)}
          </select>
          <button
            type="button"
            class="o-btn"
            data-do="judge"
            disabled=${stopping.value !== null || !judge}
            onClick=${run}
          >
            ${say("judging.go")}
          </button>
          ${
            stopping.value &&
            html`<button type="button" class="o-btn" onClick=${() => stopping.value?.abort()}>${say("judging.stop")}</button>`
          }
          <span class="o-hint" role="status">${told}</span>
        </div>
      </section>
    </o-arena-judging>
  `;
}
