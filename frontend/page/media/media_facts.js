// What is known of artefacts by their ids: what they are, how large, how long.

import { counted, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { remaining } from "../data/gone.js";
import { live } from "../data/live.js";

const known = new Map();

/** Keep what an answer of the server said. */
export function remember(item) {
  known.set(item.id, item);
  return item;
}

/** The item, or null when the server has none of this id. */
export async function mediaOf(id) {
  if (known.has(id)) return known.get(id);
  const made = Object.values(live.state.jobs).flatMap(remaining);
  const found = made.find((result) => result.id === id);
  if (found) return remember(found);
  const reply = await fetch(`/v1/library/${id}`).catch(() => null);
  return reply?.ok ? remember(await reply.json()) : null;
}

/** Send a file, for a benchmark or for anything else; the item, or null after `refused` has heard why. */
export async function upload(file, refused, evaluation = false) {
  const body = new FormData();
  body.append("file", file, file.name ?? "file");
  try {
    const reply = await fetch(`/v1/media${evaluation ? "?evaluation=true" : ""}`, { method: "POST", body });
    const answer = await reply.json();
    if (reply.ok) return remember(answer);
    refused(faultWords(answer.error));
  } catch {
    refused(say("error.unreachable"));
  }
  return null;
}

/** 256×256, 17 frames, 12 fps, sound. */
export function factsOf(item) {
  return [
    item.width && `${item.width}×${item.height}`,
    item.num_frames && counted("pick.frames", item.num_frames),
    item.type === "video" && item.fps && say("meta.fps", { fps: Number(item.fps.toFixed(2)) }),
    item.has_sound && say("pick.sound"),
  ].filter(Boolean);
}
