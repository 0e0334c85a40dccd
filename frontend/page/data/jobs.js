// Reading job rows: order, place in line, words about them.

import { canvasOf, duration, say } from "./facts.js";
import { remaining } from "./gone.js";
import { acts, canMake, isMade } from "./kinds.js";

export const ended = (job) => job.state === "succeeded" || job.state === "failed" || job.state === "cancelled";

const time = (text) => (text ? Date.parse(text) : 0);

/** Every job, the newest first: by number, for a clock may have gone back. */
export const newestFirst = (state) => Object.values(state.jobs).sort((a, b) => b.number - a.number);

export const running = (state) => newestFirst(state).filter((job) => job.state === "running");

export const queued = (state) =>
  Object.values(state.jobs)
    .filter((job) => job.state === "queued")
    .sort((a, b) => a.position - b.position);

/** How many jobs run or wait before this one; without a job, before the next one that is sent. */
export function before(state, job) {
  const waiting = queued(state);
  const place = job ? waiting.findIndex((other) => other.id === job.id) : waiting.length;
  return running(state).length + Math.max(place, 0);
}

/** The jobs that have ended, the one that ended last first; those of an older version or an import stand behind. */
export const lastEndedFirst = (state) =>
  newestFirst(state)
    .filter(ended)
    .sort((a, b) => (b.end_number ?? 0) - (a.end_number ?? 0));

/** What is left of what a job made to look at: pictures and clips; of one that made neither, its actions. */
export function shownResults(job) {
  const results = remaining(job);
  const seen = results.filter((result) => result.type === "image" || result.type === "video");
  return seen.length ? seen : results.filter((result) => result.mime === "application/json");
}

/** Whether a job makes a clip. */
export const makesClip = (job) => isMade(job, "video");

/** Whether actions stand below its clip. */
export const actsOn = (job) => makesClip(job) && acts(job.kind);

/** The actions beside a clip: those that it was made from, or where those lie that were foreseen with it; else null. */
export function actionsOf(job, clip) {
  if (job.request.actions?.length) return job.request.actions;
  return remaining(job).find((result) => result.id === `${clip.id}-actions`)?.url ?? null;
}

const SUFFIXES = { "video/mp4": "mp4", "image/png": "png", "application/json": "json" };

/** The name that a result is saved under. */
export const fileName = (result) => `orrery-${result.id}.${SUFFIXES[result.mime]}`;

/** Of a job that has ended; nought where the clock went back meanwhile. */
export const secondsTaken = (job) => Math.max(0, time(job.finished_at) - time(job.started_at)) / 1000;

export const percent = ({ progress }) => Math.round((100 * progress.step) / Math.max(progress.steps, 1));

/** 14:02 where it was made. */
export const clock = (job) =>
  new Date(job.created_at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });

/**
 * Width and height of what is made: as made, else as asked; of frames that only fit a tier, neither is known before.
 */
export function size({ request, results }) {
  const made = results.find((result) => result.width);
  return made ? [made.width, made.height] : (canvasOf(request.resolution, request.aspect_ratio) ?? null);
}

export function seeds({ request: { sampling, count = 1 } }) {
  return count === 1
    ? say("meta.seed", { seed: sampling.seed })
    : say("meta.seeds", { first: sampling.seed, last: sampling.seed + count - 1 });
}

/** What a job makes, in a word or two, for the strip: picture, 17 frames, 16 actions. */
export function makes({ kind, request }) {
  if (canMake(kind, "image")) return "";
  if (canMake(kind, "actions")) return say("strip.actions", { actions: request.num_actions });
  const frames = request.num_frames ?? (request.actions ? request.actions.length + 1 : null);
  if (request.controls) return request.controls.map(({ hint }) => hint).join(" + ");
  return [say("strip.frames", { frames }), request.sound && say("strip.sound")].filter(Boolean).join(" · ");
}

/** 256×256 · 20 steps · seed 7 · guidance 4; of a clip 320×192×17 · 24 fps · …; of actions pusht · 16 actions · … */
export function meta(job) {
  const { sampling, num_frames: asked, fps, embodiment } = job.request;
  const frames = job.results[0]?.num_frames ?? asked;
  const canvas = size(job);
  const actions = job.request.num_actions ?? job.request.actions?.length;
  return [
    ...(embodiment ? [embodiment, say("meta.actions", { actions })] : []),
    ...(canvas ? [[...canvas, ...(frames ? [frames] : [])].join("×")] : []),
    ...(fps ? [say("meta.fps", { fps })] : []),
    sampling.num_inference_steps === 1 ? say("meta.step") : say("meta.steps", { steps: sampling.num_inference_steps }),
    seeds(job),
    say("meta.guidance", { guidance: sampling.guidance_scale }),
  ].join(" · ");
}

export const timeLeft = ({ progress }) =>
  progress.seconds_left == null ? "" : say("progress.left", { time: duration(progress.seconds_left) });
