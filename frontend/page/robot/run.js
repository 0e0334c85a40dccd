// What the next run will be, as this browser keeps it.

import { signal } from "../vendor/preact.js";

/** Rows of a chunk that are played in a second. */
export const ROWS_PER_SECOND = 15;

const KEPT = "orrery.robot.run";
const FORESIGHT = { foresee: false, divergence_limit: null, divergence_ticks: 5, idle_frames: null };
const DEFAULTS = { prompt: "", mode: "live", horizon: 16, speed: 0.3, record: false, trials: 1, ...FORESIGHT };

function kept() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage[KEPT]) };
  } catch {
    return DEFAULTS; // nothing kept, or not by us
  }
}

/** `episode` is the recorded one that a replay plays; of this visit only. */
export const nextRun = signal({ ...kept(), episode: null });

/** Change some of it. */
export function plan(values) {
  nextRun.value = { ...nextRun.value, ...values };
  localStorage[KEPT] = JSON.stringify({ ...nextRun.value, episode: undefined });
}

/** The `run` of an order to start. */
export function runToStart() {
  const { episode, trials: _, ...run } = nextRun.value;
  return { ...run, episode: run.mode === "replay" ? episode : null };
}
