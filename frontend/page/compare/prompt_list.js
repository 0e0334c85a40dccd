// Prompts from a file: a line each in a .txt, the column `prompt` of a .csv, the field `prompt` of each line of a .jsonl.

const PROMPT = "prompt";

/** The prompts of a file, each on one line; throws an Error that says what is wrong. */
export function promptsIn(name, text) {
  const ending = name.toLowerCase().split(".").at(-1);
  const found =
    ending === "csv" ? ofTable(rowsOf(text)) : ending === "jsonl" ? linesOf(text).map(ofJson) : linesOf(text);
  return found.map((prompt) => prompt.replace(/\s+/g, " ").trim()).filter(Boolean);
}

const linesOf = (text) => text.split(/\r?\n/).filter((line) => line.trim());

function ofJson(line, index) {
  let said = null;
  try {
    said = JSON.parse(line);
  } catch {}
  const prompt = typeof said === "string" ? said : said?.[PROMPT];
  if (typeof prompt !== "string") throw new Error(String(index + 1));
  return prompt;
}

/** Without a column of that name the first one is taken, its first row too. */
function ofTable([head = [], ...rows]) {
  const column = head.findIndex((name) => name.trim().toLowerCase() === PROMPT);
  return (column < 0 ? [head, ...rows] : rows).map((row) => row[Math.max(column, 0)] ?? "");
}

/** RFC 4180: fields may be quoted, and then hold commas, line breaks and doubled quotes. */
function rowsOf(text) {
  const rows = [];
  let row = [];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (row.some((field) => field)) rows.push(row);
    row = [];
  }
  return rows;
}
