// A data set from a folder: every file is sent as it is, several at a time.

import { say } from "../data/facts.js";

const AT_ONCE = 4;
const WAIT_MS = 5000; // where calls are counted

/** A folder that was chosen with the file dialog: [path in it, file]. */
export const chosenFiles = (files) =>
  [...files].map((file) => [file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file]);

export const folderName = (files) => files[0]?.webkitRelativePath.split("/")[0] ?? "";

/** What was dropped, folders with all that is in them: { name, files: [[path, file]] }. */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const single = entries.length === 1 && entries[0].isDirectory ? entries[0] : null;
  const found = await Promise.all((single ? await entriesOf(single) : entries).map((entry) => filesOf(entry, "")));
  return { name: single?.name ?? "", files: found.flat() };
}

async function filesOf(entry, prefix) {
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    return [[prefix + entry.name, file]];
  }
  const inside = await Promise.all((await entriesOf(entry)).map((one) => filesOf(one, `${prefix}${entry.name}/`)));
  return inside.flat();
}

async function entriesOf(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return found;
    found.push(...some);
  }
}

/** A name that the server takes. */
export const tidyName = (name) =>
  name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64) || "data";

/** Send files; throws an Error for a person. `told` hears how many are there. */
export async function sendFiles(name, files, told) {
  const waiting = files.filter(([path]) => !path.split("/").some((part) => part.startsWith(".")));
  if (!waiting.length) throw new Error(say("tune.no_files"));
  let done = 0;
  told(0, waiting.length);
  const next = waiting[Symbol.iterator]();
  const work = async () => {
    for (const [path, file] of next) {
      await send(name, path, file);
      done += 1;
      told(done, waiting.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function send(name, path, file) {
  const place = path.split("/").map(encodeURIComponent).join("/");
  const reply = await fetch(`/v1/datasets/${name}/files/${place}`, { method: "PUT", body: file }).catch(() => null);
  if (reply?.ok) return;
  if (reply?.status === 429) {
    await new Promise((go) => setTimeout(go, WAIT_MS));
    return send(name, path, file);
  }
  const { error } = (await reply?.json().catch(() => null)) ?? {};
  throw Object.assign(new Error(error?.message ?? say("error.unreachable")), { hint: error?.hint });
}
