// Actions that were found or decided become those of a world: whose they are, how fast, and what was seen before the
// first one.

import { GROUP, fitted, readRows } from "./action_shapes.js";
import { grabFrame } from "../media/frame_grab.js";
import { upload } from "../media/media_facts.js";
import { fill } from "../parts/reuse.js";
import { ask } from "../parts/server.js";

/** Fill the form from an artefact of actions; false where its file holds none. */
export async function startFromActions(item) {
  const [reply, detail] = await Promise.all([
    fetch(`/v1/media/${item.id}`).catch(() => null),
    ask("GET", `/v1/library/${item.id}`),
  ]);
  const rows = reply?.ok ? readRows(await reply.text()) : null;
  if (!rows) return false;
  const { embodiment, action_width: width, fps, resolution } = detail?.request ?? {};
  const actions = fitted(rows, Math.max(GROUP, rows.length - (rows.length % GROUP)), rows[0].length);
  const said = { embodiment, action_width: width, fps, resolution, start_image: await seenBefore(detail?.request) };
  fill({ ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)), actions });
  return true;
}

// A policy saw a picture; of a clip it is the first frame, which the browser draws.
async function seenBefore(request) {
  if (request?.start_image) return request.start_image;
  if (!request?.source_video) return undefined;
  const file = await grabFrame(`/v1/media/${request.source_video}`);
  return file ? (await upload(file, () => {}))?.id : undefined;
}
