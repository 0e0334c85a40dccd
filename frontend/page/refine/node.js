// One result: the picture with the critic's boxes, its scores and issues, why it won, what changed in its prompt, and a
// line to go on from it in other words.

import { say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { lost } from "../data/gone.js";
import { IconButton } from "../parts/icons.js";
import { refining } from "./store.js";
import { pointOut } from "./form.js";
import { useAgain } from "../parts/reuse.js";
import { stageOf } from "./tree.js";
import { changesOf } from "./text_changes.js";
import { Enlarge } from "../media/lightbox.js";
import { Viewer } from "../media/viewer.js";
import { html, useRef, useSignal } from "../vendor/preact.js";

const SCORES = [
  "overall",
  "prompt_adherence",
  "visual_quality",
  "aesthetics",
  "physical_plausibility",
  "category",
  "text_rendering",
  "photorealism",
];
const TOP = 10;

export function RefineNode({ tree, node, job }) {
  const { number, media, critique } = node;
  const stage = stageOf(node);
  const step = stage === "generating" && job && say("progress.step", job.progress);
  const isLost = media && lost.has(media.id);
  const boxed = (critique?.issues ?? []).filter((issue) => issue.box_2d);
  const marks = boxed.map((issue, index) => ({ box: issue.box_2d, label: `${index + 1} ${issue.category}` }));
  return html`
    <div class="o-refine-node" data-shown=${number}>
      <div class="o-ask-frame">
        ${
          media
            ? html`<${Viewer}
                item=${{ ...media, title: say("refine.result", { number }) }}
                marks=${isLost ? [] : marks}
              />`
            : html`<p class="o-refine-waits" role="status">
                ${[say(`stage_of.${stage}`), step].filter(Boolean).join(" · ")}
              </p>`
        }
      </div>
      <div class="o-card-plain o-refine-detail">
        <header class="o-acts">
          <h2>${say("refine.title", { number, round: node.round + 1, how: say(`origin.${node.origin}`) })}</h2>
          ${media && !isLost && html`<${Enlarge} id=${media.id} />`}
        </header>
        ${tree.best?.node === number && html`<p class="o-refine-won">${why(tree)}</p>`}
        ${
          ["failed", "skipped"].includes(stage) &&
          html`<p class="o-fault">${node.error ? faultWords(node.error) : say("stage_of.skipped_why")}</p>`
        }
        ${
          isLost &&
          html`<div class="o-refine-gone">
            <p role="status">${say("refine.gone")}</p>
            <${IconButton}
              icon="again"
              words=${say("peek.use")}
              data-do="use"
              onClick=${() => useAgain(node.request)}
            />
          </div>`
        }
        <div class="o-refine-said" key=${`${tree.id} ${number}`}>
          ${critique && html`<${Critique} critique=${critique} boxed=${boxed} />`}
          ${node.request && html`<${Prompts} node=${node} parent=${tree.nodes[node.parent]?.request} />`}
        </div>
        <${Branch} hidden=${!media} />
      </div>
    </div>
  `;
}

function why({ best, nodes }) {
  if (best.runner_up === null) return say("won.only");
  const [ours, theirs] = [nodes[best.node], nodes[best.runner_up]].map((node) => node.critique);
  const count = ({ issues }) => issues.filter(({ severity }) => severity === best.by).length;
  return say(`won.${best.by}`, {
    score: ours.overall_score.toFixed(1),
    other: best.runner_up,
    other_score: theirs.overall_score.toFixed(1),
    judged: best.num_judged,
    count: count(ours),
    other_count: count(theirs),
  });
}

function Branch({ hidden }) {
  const [words, rewrites] = [useRef(null), useRef(null)];
  const sending = useSignal(false);
  async function branch() {
    const field = words.current;
    if (!field.value.trim()) return pointOut(field);
    sending.value = true;
    if (await refining.branch(refining.node.number, field.value, Number(rewrites.current.value) || 0)) field.value = "";
    sending.value = false;
  }
  return html`
    <section class="o-refine-branch" hidden=${hidden}>
      <h3>${say("branch.title")}</h3>
      <textarea
        ref=${words}
        class="o-select"
        rows="2"
        aria-label=${say("branch.words")}
        placeholder=${say("branch.hint")}
        maxlength="8000"
      />
      <div class="o-acts">
        <label class="o-inline">
          <span>${say("branch.rewrites")}</span>
          <input ref=${rewrites} type="number" class="o-select" min="0" max="8" defaultValue="0" />
        </label>
        <${IconButton}
          icon="send"
          words=${say("branch.go")}
          data-do="branch"
          disabled=${sending.value}
          onClick=${branch}
        />
      </div>
    </section>
  `;
}

const Critique = ({ critique, boxed }) => html`
  <dl class="o-refine-scores">
    ${SCORES.map((name) => [name, critique[`${name}_score`]])
      .filter(([, value]) => value != null)
      .map(
        ([name, value]) => html`
          <dt>${say(`score.${name}`)}</dt>
          <dd>
            <span class="o-refine-bar" aria-hidden="true"><i style=${{ width: `${(100 * value) / TOP}%` }} /></span>
            <b class="o-num">${value.toFixed(1)}</b>
          </dd>
        `,
      )}
  </dl>
  <h3>${say("refine.issues")}</h3>
  ${
    critique.issues.length
      ? html`<ul class="o-refine-issues" role="list">
          ${critique.issues.map((issue) => html`<${Issue} ...${issue} place=${boxed.indexOf(issue)} />`)}
        </ul>`
      : html`<p class="o-hint">${say("refine.no_issues")}</p>`
  }
  ${critique.rationale && html`<h3>${say("refine.rationale")}</h3><p>${critique.rationale}</p>`}
  <${Section} name="directives" rows=${critique.improvement_directives.map((text) => html`<li>${text}</li>`)} />
  <details>
    <summary>${say("refine.looked")}</summary>
    <${Section}
      name="elements"
      style="o-refine-elements"
      rows=${Object.entries(critique.prompt_elements).map(
        ([name, state]) => html`<li data-presence=${state}>${name}<small> ${say(`presence.${state}`)}</small></li>`,
      )}
    />
    <${Section}
      name="findings"
      rows=${critique.category_findings.map(({ area, finding }) => html`<li><b>${area}</b> ${finding}</li>`)}
    />
  </details>
`;

const Issue = ({ severity, category, description, place }) => html`
  <li data-severity=${severity}>
    <span class="o-refine-mark">${place < 0 ? "·" : place + 1}</span>
    <em>${say(`severity.${severity}`)}</em>
    <span>
      <b>${category}</b> ${description}${place < 0 && html`<small> ${say("issue.nowhere")}</small>`}
    </span>
  </li>
`;

const Section = ({ name, rows, style = "o-refine-plain" }) =>
  rows.length > 0 && html`<h3>${say(`refine.${name}`)}</h3><ul class=${style}>${rows}</ul>`;

/** What changed in the prompt, and the prompt as a whole. */
function Prompts({ node: { request, words, changes, parent: from }, parent }) {
  const negative = request.negative_prompt;
  return html`
    ${words && html`<h3>${say("branch.said")}</h3><p>${words}</p>`}
    ${
      parent &&
      html`
        <h3>${say("refine.changes", { parent: from })}</h3>
        <div class="o-refine-changes">
          ${changes.map(
            ({ path, before, after }) => html`
              <p><b>${path.replaceAll("_", " ").replaceAll(".", " · ")}</b> ${changesOf(before, after)}</p>
            `,
          )}
          ${changes.length === 0 && html`<p class="o-hint">${say("refine.unchanged")}</p>`}
        </div>
        ${
          parent.negative_prompt !== negative &&
          html`
            <h3>${say("refine.negative")}</h3>
            <div class="o-refine-changes"><p>${changesOf(parent.negative_prompt, negative)}</p></div>
          `
        }
      `
    }
    <details>
      <summary>${say("refine.whole")}</summary>
      <pre tabindex="0">${laidOut(request.prompt)}</pre>
      ${negative && html`<h3>${say("refine.negative")}</h3><pre tabindex="0">${negative}</pre>`}
    </details>
  `;
}

function laidOut(prompt) {
  try {
    return JSON.stringify(JSON.parse(prompt), null, 1);
  } catch {
    return prompt;
  }
}
