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
 * The rows of the coming ticks. What is left of a chunk is its end: the player enters it late and plays it through,
 * and at a third of the speed a row lasts three ticks.
 */
export function comingRows(tick, chunk, session) {
  if (!tick || !chunk || !session?.run || chunk.epoch !== tick.epoch) return [];
  const { rows } = chunk;
  const { mode, speed } = session.run;
  if (session.hold === "approval" && chunk.pending) return rows;
  const pace = mode === "rehearsal" ? speed : 1;
  const left = Array.from({ length: tick.num_coming }, (_, ahead) => {
    return rows[Math.round(rows.length - (tick.num_coming - ahead) * pace)];
  });
  return left.filter(Boolean);
}
