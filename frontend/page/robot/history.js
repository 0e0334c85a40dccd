// The last seconds of an arm, and the rows that it will play next.

const KEPT_TICKS = 96;

export class History {
  ticks = []; // as they came, oldest first

  push(tick) {
    // A bridge that was started anew counts from the beginning.
    if (tick.tick <= (this.ticks.at(-1)?.tick ?? -1)) this.ticks = [];
    this.ticks.push(tick);
    if (this.ticks.length > KEPT_TICKS) this.ticks.shift();
  }

  get last() {
    return this.ticks.at(-1);
  }
}

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
