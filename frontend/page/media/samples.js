// Pictures and clips that come with the studio, for whoever has none at hand.

import { upload } from "./media_facts.js";

const ENDS = { image: ["png", "image/png"], video: ["mp4", "video/mp4"] };

/** The sample of a type, as a file; examples name others than the usual one. */
export async function sampleFile(type, name = "sample") {
  const [end, mime] = ENDS[type];
  const file = `${name}.${end}`;
  return new File([await (await fetch(new URL(`./${file}`, import.meta.url))).blob()], file, { type: mime });
}

/** The same in the server's store; null when the server does not take it, and `refused` is told why. */
export async function storedSample(type, name, refused = () => {}) {
  return upload(await sampleFile(type, name), refused);
}
