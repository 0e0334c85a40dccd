// Spans in frames: what a move of a boundary makes of them, and how far an answer is off.

/** Spans in seconds as frames of a video. */
export const framesOf = (spans, { fps, num_frames: frames }) =>
  spans.map(({ label, start_s: start, end_s: end }) => ({
    label,
    start: within(Math.round(start * fps), 0, frames - 1),
    end: within(Math.round(end * fps), 0, frames - 1),
  }));

/** The time of a frame as `orrery overlay` writes it: in hundredths of a second. */
export const secondsOf = (frame, fps) => Math.round((100 * frame) / fps) / 100;

/** Spans in the layout of a reference: pairs of times of events, objects of intervals. */
export const referenceOf = (spans, fps, ordered) =>
  spans.map(({ label, start, end }) => {
    const times = [secondsOf(start, fps), secondsOf(end, fps)];
    return ordered ? times : { start: times[0], end: times[1], ...(label ? { label } : {}) };
  });

/** Where a boundary may go: its span keeps its order, and events, which are `ordered`, theirs. */
export function limitsOf(spans, at, edge, frames, ordered) {
  const { start, end } = spans[at];
  const [before, after] = ordered ? [spans[at - 1], spans[at + 1]] : [];
  if (edge === "start") return [before?.start ?? 0, end];
  return [Math.max(start, before ? before.end + 1 : ordered ? 1 : 0), after ? after.end - 1 : frames - 1];
}

/** The same spans with one boundary at a frame, or as near to it as it may go. */
export function moved(spans, at, edge, frame, frames, ordered) {
  const [low, high] = limitsOf(spans, at, edge, frames, ordered);
  if (low > high) return spans;
  return spans.map((span, index) => (index === at ? { ...span, [edge]: within(frame, low, high) } : span));
}

/** How many seconds an answer's spans begin and end after each of these; null where the answer has none. */
export function offsets(spans, said, ordered, fps) {
  return spans.map(({ start, end }, at) => {
    const [start_s, end_s] = [secondsOf(start, fps), secondsOf(end, fps)];
    const other = ordered ? said[at] : nearest({ start_s, end_s }, said);
    return other ? { start: other.start_s - start_s, end: other.end_s - end_s } : null;
  });
}

/** Whether two lists of spans are the same. */
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const within = (value, low, high) => Math.min(Math.max(value, low), high);

const apart = (one, other) => Math.abs(one.start_s - other.start_s) + Math.abs(one.end_s - other.end_s);

const nearest = (span, said) => said.toSorted((one, other) => apart(span, one) - apart(span, other))[0];
