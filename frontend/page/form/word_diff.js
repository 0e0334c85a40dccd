// A person's words beside the caption that was written from them: kept, lost, added.

import { make } from "../parts/nodes.js";

/** The prompt in pieces: words that were kept, words that were lost, and what lies between. */
export function wordsOf(prompt, words) {
  const pieces = [];
  let end = 0;
  for (const word of words) {
    pieces.push(prompt.slice(end, word.start));
    const lost = !word.small && word.places.length === 0;
    pieces.push(word.small ? word.text : make(lost ? "del" : "mark", {}, word.text));
    end = word.end;
  }
  return [...pieces, prompt.slice(end)];
}

/** The caption as titled lines, the person's words marked in it. */
export function sectionsOf(caption, words) {
  const places = new Map();
  for (const place of words.flatMap((word) => word.places)) {
    places.set(place.path, [...(places.get(place.path) ?? []), place]);
  }
  return [...texts(caption, "")].map(([path, text]) =>
    make(
      "p",
      {},
      make("b", {}, path.replaceAll("_", " ").replaceAll(".", " · ")),
      " ",
      ...marked(text, places.get(path) ?? []),
    ),
  );
}

function* texts(value, path) {
  if (typeof value === "string") yield [path, value];
  else if (value && typeof value === "object") {
    for (const [name, child] of Object.entries(value)) yield* texts(child, path ? `${path}.${name}` : name);
  }
}

// Places count characters as Python does, by code point.
function marked(text, places) {
  const letters = [...text];
  const pieces = [];
  let end = 0;
  for (const place of [...places].sort((a, b) => a.start - b.start)) {
    if (place.start < end) continue;
    pieces.push(
      letters.slice(end, place.start).join(""),
      make("mark", {}, letters.slice(place.start, place.end).join("")),
    );
    end = place.end;
  }
  return [...pieces, letters.slice(end).join("")];
}
