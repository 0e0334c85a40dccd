// What the trainer will see: what is kept and what is left out, three samples, lengths, and what fits.

import { counted, say } from "../data/facts.js";
import { bytes } from "../data/recipe.js";
import { html } from "../vendor/preact.js";

export function Report({ id, report }) {
  const { num_kept: kept, dropped, samples, tokens, num_trained: trained, memory, budget } = report;
  return html`
    <section class="o-card-plain o-tune-report" aria-label=${say("tune.report")}>
      <header><h2>${say("tune.report")}</h2></header>
      <dl class="o-tune-counts">
        <div><dt>${say("tune.kept")}</dt><dd>${kept}</dd></div>
        <div><dt>${say("tune.dropped")}</dt><dd>${dropped.reduce((sum, { count }) => sum + count, 0)}</dd></div>
        <div><dt>${say("tune.trained")}</dt><dd>${trained.toLocaleString("en")}</dd></div>
        ${
          memory &&
          html`
            <div data-bad=${memory.available !== null && memory.total > memory.available ? "true" : null}>
              <dt>${say("tune.memory")}</dt>
              <dd>
                ${bytes(memory.total)}
                ${memory.available !== null && html`<small>${say("tune.memory_of", { available: bytes(memory.available) })}</small>`}
              </dd>
            </div>
          `
        }
      </dl>
      ${memory && html`<${Memory} memory=${memory} />`}
      ${
        dropped.length > 0 &&
        html`
          <h3>${say("tune.dropped")}</h3>
          <ul class="o-tune-dropped">
            ${dropped.map(
              ({ reason, message, examples }) => html`
                <li key=${reason}><span>${message}</span>${examples.length > 0 && html`<small>${examples.join(", ")}</small>`}</li>
              `,
            )}
          </ul>
        `
      }
      ${budget && html`<p class="o-hint" data-do="budget">${budgetWords(budget)}</p>`}
      ${tokens.length > 0 && html`<${Tokens} tokens=${tokens} />`}
      <h3>${say("tune.samples")}</h3>
      <ol class="o-tune-samples">
        ${samples.map((sample, number) => html`<${Sample} key=${number} id=${id} sample=${sample} number=${number} />`)}
      </ol>
    </section>
  `;
}

function budgetWords({ num_vision, num_words, num_answer, max_tokens }) {
  const whole = (number) => number.toLocaleString("en");
  return say("tune.budget", {
    vision: whole(num_vision),
    words: whole(num_words),
    answer: whole(num_answer),
    left: whole(max_tokens - num_vision - num_words - num_answer),
    most: whole(max_tokens),
  });
}

function Memory({ memory }) {
  const parts = ["weights", "optimiser", "activations"];
  const whole = Math.max(memory.available ?? 0, memory.total);
  return html`
    <div class="o-tune-memory">
      <div class="o-tune-stack" aria-hidden="true">
        ${parts.map((name) => html`<i key=${name} data-part=${name} style=${{ width: `${(100 * memory[name]) / whole}%` }} />`)}
      </div>
      <p class="o-hint">
        ${parts.map((name) => html`<span key=${name} data-part=${name}>${say(`tune.memory_${name}`)} ${bytes(memory[name])}</span>`)}
      </p>
      ${memory.advice && html`<p class="o-tune-advice">${memory.advice}</p>`}
    </div>
  `;
}

function Tokens({ tokens }) {
  const most = Math.max(...tokens.map(({ count }) => count), 1);
  const first = tokens[0].low;
  const last = tokens.at(-1).high;
  return html`
    <h3>${say("tune.tokens")}</h3>
    <div class="o-tune-tokens" role="img" aria-label=${say("tune.tokens_label", { first, last })}>
      ${tokens.map(
        ({ low, high, count }) => html`
          <i key=${low} title=${say("tune.tokens_bin", { low, high, count })} style=${{ height: `${(100 * count) / most}%` }} />
        `,
      )}
    </div>
    <p class="o-tune-axis"><span>${first}</span><span>${last}</span></p>
  `;
}

function Sample({ id, sample, number }) {
  const { name, mode, text, answer, picture, num_tokens: num, facts } = sample;
  const says = [mode, ...facts.map(([fact, value]) => `${fact} ${value}`), counted("tune.num_tokens", num)];
  return html`
    <li>
      ${picture && html`<img src=${`/v1/tunings/${id}/samples/${number}`} alt=${say("tune.sample_of", { name })} loading="lazy" />`}
      <div>
        <b>${name}</b>
        <small>${says.join(" · ")}</small>
        <pre tabindex="0">${text}</pre>
        ${answer && html`<pre class="o-tune-answer" tabindex="0">${answer}</pre>`}
      </div>
    </li>
  `;
}
