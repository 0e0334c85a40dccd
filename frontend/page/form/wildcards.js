// Wildcards of a prompt: each `{red|blue}` stands for one of its options, and every combination is a prompt of its own.

const GROUP = /\{([^{}"\n]*\|[^{}"\n]*)\}/; // no JSON: that of a caption has quotes

/** Prompts that one may stand for. */
export const MOST_PROMPTS = 100;

/** All of them, the last group varying fastest; a prompt without wildcards is the only one. */
export function promptsOf(prompt) {
  const found = GROUP.exec(prompt);
  if (!found) return [prompt];
  const [before, after] = [prompt.slice(0, found.index), prompt.slice(found.index + found[0].length)];
  return found[1].split("|").flatMap((option) => promptsOf(`${before}${option.trim()}${after}`));
}
