// What a prompt says in a sentence: itself, or of a structured caption its own summary.

// The fields of a caption that hold prose, of pictures and of clips (`studio/captions/caption.py`).
const SUMMARIES = ["comprehensive_t2i_caption", "temporal_caption"];

/** The caption as an object, or null where the prompt is plain words. */
export function captionOf(prompt) {
  if (!prompt?.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(prompt);
  } catch {
    return null;
  }
}

/** The prompt as people read it. */
export function sentenceOf(prompt) {
  const caption = captionOf(prompt);
  return (caption && SUMMARIES.map((name) => caption[name]).find(Boolean)) || prompt;
}
