// The last seconds of an arm, and the rows that it will play next.

import { robot } from "./link.js";

const KEPT_TICKS = 96;

/** The ticks as they came, oldest first. */
export const history = [];

const forget = () => history.splice(0);
robot.addEventListener("hello", forget);
robot.addEventListener("tick", ({ detail: tick }) => {
  if (tick.tick <= history.at(-1)?.tick) forget(); // a bridge that was started anew counts from the beginning
  history.push(tick);
  if (history.length > KEPT_TICKS) history.shift();
});

/**
 * The rows of the coming ticks: those that wait for a yes, or what the robot said would be played, less what has been
 * since. It counts the rows that are left at every tick, also while it plays none.
 */
export function comingRows(tick, coming, chunk, session) {
  if (!tick || !session?.run) return [];
  if (session.hold === "approval" && chunk?.pending && chunk.epoch === tick.epoch) return chunk.rows;
  if (coming?.epoch !== tick.epoch) return [];
  const played = coming.num_coming - tick.num_coming;
  return played < 0 ? [] : coming.rows.slice(played);
}
