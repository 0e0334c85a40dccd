// What a playhead shows, out of what the server says: library items, results of jobs, whole comparisons.

import { sentenceOf } from "../data/captions.js";
import { duration, metrics, say } from "../data/facts.js";
import { lost } from "../data/gone.js";

const GONE = { words: say("compare.missing"), state: "failed" };

/** A cell out of a library item or a result; `over` has its place, label and notes. */
export function cellOf(item, over = {}) {
  const clip = item.type === "video";
  const seen = clip || item.type === "image";
  const gone = Boolean(item.missing) || lost.has(item.id);
  return {
    row: 0,
    column: 0,
    id: item.id,
    name: item.title || sentenceOf(item.prompt) || over.label || "",
    type: item.type,
    url: seen && !gone ? item.url : null,
    gone,
    status: gone ? GONE : null,
    thumbnail: item.thumbnail_url,
    sheet: clip ? (item.spritesheet_url ?? `${item.url}/spritesheet`) : null,
    fps: item.fps,
    frames: item.num_frames,
    length: item.duration_s,
    width: item.width,
    height: item.height,
    size: item.size_bytes,
    sound: item.has_sound,
    actions: item.type === "actions" ? item.url : null,
    ...over,
  };
}

/** A grid out of a comparison; `live` has newer rows of its jobs, by id. */
export function gridOf(comparison, live = {}) {
  const { columns, rows, layouts = {}, actions = {} } = comparison;
  const single = rows.length === 1 && rows[0] === comparison.title;
  return {
    columns: columns.map(({ label }) => label),
    rows: single ? [] : rows,
    cells: comparison.cells.map((cell) => {
      const { row, column, item } = cell;
      const job = cell.job && { ...cell.job, ...live[cell.job.id] };
      const label = columns[column].label;
      const place = { row, column, label, notes: notesOf(cell) };
      if (!item) return { ...place, gone: isGone(cell), status: statusOf(cell, job) };
      const acted =
        actions[item.id] ??
        cell.actions_url ??
        (job?.request.actions?.length ? { actions: job.request.actions, fps: job.request.fps } : null);
      const made = cellOf(item, { ...place, layout: layouts[item.id] ?? null });
      return {
        ...made,
        actions: made.gone ? null : (acted ?? made.actions),
        status: made.url || made.gone ? made.status : { words: say("compare.actions_only"), state: "succeeded" },
      };
    }),
  };
}

/** Whether what stood in a cell of a comparison is no more. */
export const isGone = ({ error, item, job }) =>
  item ? item.missing || lost.has(item.id) : !error && (!job || job.state === "succeeded");

function statusOf(cell, job) {
  if (cell.error) return { words: cell.error.message, state: "refused" };
  if (isGone(cell)) return GONE;
  if (job.error) return { words: job.error.message, state: "failed" };
  if (job.state !== "running")
    return {
      words: job.waiting_for ? say("compare.waits_for", { what: job.waiting_for }) : say(`compare.state_${job.state}`),
      state: job.state,
    };
  const share = job.progress.step / Math.max(job.progress.steps, 1);
  return {
    words: say("compare.running", { step: job.progress.step, steps: job.progress.steps }),
    state: "running",
    share,
  };
}

/** Cost, then what was measured: [words, tone, title]. */
function notesOf({ seconds, memory_gb: memory, likeness, critic }) {
  const cost = [seconds != null && duration(seconds), seconds != null && memory != null && `${memory} GB`]
    .filter(Boolean)
    .join(" · ");
  const measured = metrics
    .filter(({ name }) => likeness?.[name] != null)
    .map(({ name, title, help, unit, digits }) => {
      const words = [title, likeness[name].toFixed(digits), unit].filter(Boolean).join(" ");
      return [words, "measured", [help, likeness.note].filter(Boolean).join(" · ")];
    });
  return [
    ...(cost ? [[cost, "cost", say("compare.cost_title")]] : []),
    ...measured,
    ...(critic == null ? [] : [[`${say("compare.critic")} ${critic}`, "measured", say("compare.critic_title")]]),
    ...(likeness?.note && !measured.length ? [[likeness.note, "said", likeness.note]] : []),
  ];
}
