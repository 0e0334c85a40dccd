// A benchmark from files: its items as JSON lines, with the media that they name. Each medium is uploaded first.

import { say } from "../data/facts.js";
import { takes } from "../data/kinds.js";
import { upload } from "../media/media_facts.js";

const ITEMS = /\.jsonl$/i;
const BESIDE = /^(answers|verdicts|corrections)\.jsonl$/i; // of an exported run, beside its items
const MANIFEST = "benchmark.json";
const CORRECTIONS = "corrections.jsonl";
/** What the server has already: an upload or a result. */
const ID = /^(u[0-9a-f]{16}|[0-9a-f]{12}-\d+)$/;

/** Keep a benchmark on the server. Throws an Error whose message is for a person. */
export async function addBenchmark(files) {
  const list = files.find(({ name }) => ITEMS.test(name) && !BESIDE.test(name));
  if (!list) throw new Error(say("evaluate.no_items"));
  const rows = rowsOf(await list.text(), list.name);
  const media = new Map();
  for (const name of new Set(rows.flatMap((row) => (row.media || !row.request ? mediaOf(row) : requestMedia(row))))) {
    const file = files.find((one) => one.name === name.split("/").at(-1));
    if (!file && ID.test(name)) continue;
    if (!file) throw new Error(say("evaluate.no_media", { name }));
    let why = "";
    const kept = await upload(
      file,
      (said) => {
        why = said;
      },
      true,
    );
    if (!kept) throw new Error(why || say("evaluate.no_media", { name }));
    media.set(name, kept.id);
  }
  const items = rows.map(({ answer, ...row }, index) => ({
    id: String(index + 1),
    ...(row.request ? visited(row, (name) => media.get(name) ?? name) : row),
    ...(row.request ? {} : { reference: row.reference ?? answer ?? null }),
    media: mediaOf(row).map((name) => media.get(name) ?? name),
  }));
  const name = nameOf(list.name);
  const fields = await manifestOf(files);
  const benchmark = await sent("/v1/benchmarks", {
    ...(fields ?? { name, title: name, form: formOf(items[0]) }),
    items,
  });
  const corrected = files.find((one) => one.name === CORRECTIONS);
  const corrections = corrected && linesOf(await corrected.text(), CORRECTIONS);
  if (corrections?.length) await sent(`/v1/benchmarks/${benchmark.id}/corrections`, { corrections });
  return benchmark;
}

async function sent(path, said) {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(path, { method: "POST", body: JSON.stringify(said), headers }).catch(() => null);
  const answer = await reply?.json().catch(() => null);
  if (reply?.ok) return answer;
  throw Object.assign(new Error(answer?.error?.message ?? say("error.unreachable")), { hint: answer?.error?.hint });
}

/** The benchmark's fields as an exported run has them; none without the file. */
async function manifestOf(files) {
  const file = files.find((one) => one.name === MANIFEST);
  if (!file) return null;
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error(say("evaluate.bad_line", { name: MANIFEST, line: 1 }));
  }
}

function rowsOf(text, name) {
  const rows = linesOf(text, name);
  if (!rows.length) throw new Error(say("evaluate.no_rows", { name }));
  return rows;
}

function linesOf(text, name) {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.flatMap((line, index) => {
    if (!line) return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new Error(say("evaluate.bad_line", { name, line: index + 1 }));
    }
  });
}

/** The files that a request and its reference name. */
function requestMedia(row) {
  const names = [];
  visited(row, (name) => {
    names.push(name);
    return name;
  });
  return names;
}

/** A row with what `act` makes of each file that its request and its reference name. */
function visited(row, act) {
  const request = { ...row.request };
  for (const [path, { type }] of Object.entries(takes(request.kind))) {
    const [name, inner] = path.split(".");
    const value = request[name];
    if (type === "actions") continue;
    if (inner && Array.isArray(value))
      request[name] = value.map((one) => (isText(one?.[inner]) ? { ...one, [inner]: act(one[inner]) } : one));
    else if (isText(value)) request[name] = act(value);
  }
  const { reference } = row;
  if (!isText(reference?.media)) return { ...row, request };
  return { ...row, request, reference: { ...reference, media: act(reference.media) } };
}

const isText = (value) => typeof value === "string";

const mediaOf = ({ media = [] }) => (Array.isArray(media) ? media : [media]);

const nameOf = (file) =>
  file
    .replace(ITEMS, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "") || "benchmark";

function formOf({ request, choices, events, reference }) {
  if (request) return "generation";
  if (choices) return "choice";
  if (events?.length) return "events";
  return typeof reference === "number" ? "number" : "text";
}
