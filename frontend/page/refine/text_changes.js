// Two texts as one: words that are gone struck out, new ones marked.

import { html } from "../vendor/preact.js";

const MOST = 600; // words of each; beyond that, one text stands behind the other

/** What became of a text; null for one that was not there. */
export function changesOf(before, after) {
  if (before == null) return html`<ins>${after}</ins>`;
  if (after == null) return html`<del>${before}</del>`;
  const [old, now] = [before, after].map((text) => text.split(/(?<=\s)/));
  if (old.length > MOST || now.length > MOST) return html`<del>${before}</del> <ins>${after}</ins>`;
  return joined(steps(old, now)).map(([kind, words]) => (kind === "same" ? words : html`<${kind}>${words}<//>`));
}

// The longest common run of words, from the end backwards.
function steps(old, now) {
  const longest = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const same = (a, b) => old[a].trim() === now[b].trim();
  for (let a = old.length - 1; a >= 0; a -= 1) {
    for (let b = now.length - 1; b >= 0; b -= 1) {
      longest[a][b] = same(a, b) ? longest[a + 1][b + 1] + 1 : Math.max(longest[a + 1][b], longest[a][b + 1]);
    }
  }
  const taken = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (a < old.length && b < now.length && same(a, b)) {
      taken.push(["same", now[b]]);
      a += 1;
      b += 1;
    } else if (b >= now.length || (a < old.length && longest[a + 1][b] >= longest[a][b + 1])) {
      taken.push(["del", old[a]]);
      a += 1;
    } else {
      taken.push(["ins", now[b]]);
      b += 1;
    }
  }
  return taken;
}

function joined(taken) {
  const runs = [];
  for (const [kind, word] of taken) {
    const last = runs.at(-1);
    if (last?.[0] === kind) last[1] += word;
    else runs.push([kind, word]);
  }
  return runs;
}
