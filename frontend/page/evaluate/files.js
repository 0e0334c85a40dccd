// A benchmark from files: its items as JSON lines, with the media that they name. Each medium is uploaded first.

import { say } from "../data/facts.js";
import { upload } from "../media/media_facts.js";

const ITEMS = /\.jsonl$/i;

/** Keep a benchmark on the server. Throws an Error whose message is for a person. */
export async function addBenchmark(files) {
  const list = files.find(({ name }) => ITEMS.test(name));
  if (!list) throw new Error(say("evaluate.no_items"));
  const rows = rowsOf(await list.text(), list.name);
  const media = new Map();
  for (const name of new Set(rows.flatMap((row) => mediaOf(row)))) {
    const file = files.find((one) => one.name === name.split("/").at(-1));
    if (!file) throw new Error(say("evaluate.no_media", { name }));
    let why = "";
    const kept = await upload(file, (said) => {
      why = said;
    });
    if (!kept) throw new Error(why || say("evaluate.no_media", { name }));
    media.set(name, kept.id);
  }
  const items = rows.map(({ answer, ...row }, index) => ({
    id: String(index + 1),
    ...row,
    reference: row.reference ?? answer ?? null,
    media: mediaOf(row).map((name) => media.get(name)),
  }));
  const name = nameOf(list.name);
  const body = JSON.stringify({ name, title: name, form: formOf(items[0]), items });
  const headers = { "content-type": "application/json" };
  const reply = await fetch("/v1/benchmarks", { method: "POST", body, headers }).catch(() => null);
  const answer = await reply?.json().catch(() => null);
  if (reply?.ok) return answer;
  throw Object.assign(new Error(answer?.error?.message ?? say("error.unreachable")), { hint: answer?.error?.hint });
}

function rowsOf(text, name) {
  const lines = text.split("\n").map((line) => line.trim());
  const rows = lines.flatMap((line, index) => {
    if (!line) return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new Error(say("evaluate.bad_line", { name, line: index + 1 }));
    }
  });
  if (!rows.length) throw new Error(say("evaluate.no_rows", { name }));
  return rows;
}

const mediaOf = ({ media = [] }) => (Array.isArray(media) ? media : [media]);

const nameOf = (file) =>
  file
    .replace(ITEMS, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "") || "benchmark";

function formOf({ choices, events, reference }) {
  if (choices) return "choice";
  if (events?.length) return "events";
  return typeof reference === "number" ? "number" : "text";
}
