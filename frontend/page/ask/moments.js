// Times in an answer: "at 0:03", "00:01:02.5", "after 2.5 s".

const TIME = /(?:\b(?:(\d{1,2}):)?(\d{1,2}):(\d{2}(?:\.\d+)?)\b)|(?:\b(\d+(?:\.\d+)?)\s?(?:s|sec|secs|seconds?)\b)/g;

/** Pieces of a text, in order: `{ text }`, or `{ text, seconds }` where it names a time within the clip. */
export function moments(text, duration) {
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(TIME)) {
    const [words, hours, minutes, rest, plain] = found;
    const seconds = plain ? Number(plain) : Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(rest);
    if (seconds > duration + 0.5) continue;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index) });
    pieces.push({ text: words, seconds: Math.min(seconds, duration) });
    from = found.index + words.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
