// The picture and the clip that come with the studio, for whoever has none at hand.

import { upload } from "./media_facts.js";

const FILES = {
  image: [new URL("./sample.png", import.meta.url), "sample.png", "image/png"],
  video: [new URL("./sample.mp4", import.meta.url), "sample.mp4", "video/mp4"],
};

/** The sample of a type, as a file. */
export async function sampleFile(type) {
  const [url, name, mime] = FILES[type];
  return new File([await (await fetch(url)).blob()], name, { type: mime });
}

/** The sample in the server's store; null when the server does not take it. */
export async function storedSample(type) {
  return upload(await sampleFile(type), () => {});
}
