// One frame of a clip as a PNG, drawn by the browser.

/** The frame that a playing element shows. */
export function frameOf(video) {
  const canvas = Object.assign(document.createElement("canvas"), {
    width: video.videoWidth,
    height: video.videoHeight,
  });
  canvas.getContext("2d").drawImage(video, 0, 0);
  return new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(blob && new File([blob], "frame.png", { type: "image/png" })), "image/png"),
  );
}

/** The first frame of the clip at a URL; null when the browser cannot read it. */
export async function grabFrame(url) {
  const video = Object.assign(document.createElement("video"), { muted: true, preload: "auto", src: url });
  const ready = await new Promise((resolve) => {
    video.addEventListener("loadeddata", () => resolve(true), { once: true });
    video.addEventListener("error", () => resolve(false), { once: true });
  });
  return ready ? frameOf(video) : null;
}
