// One frame of a clip as a PNG, drawn by the browser.

/** The frame that a playing element shows. */
export function frameOf(video) {
  const canvas = Object.assign(document.createElement("canvas"), {
    width: video.videoWidth,
    height: video.videoHeight,
  });
  canvas.getContext("2d").drawImage(video, 0, 0);
  const name = `frame at ${video.currentTime.toFixed(2)} s.png`;
  return new Promise((resolve) =>
    canvas.toBlob((blob) => resolve(blob && new File([blob], name, { type: "image/png" })), "image/png"),
  );
}

/** The frame of the clip at a URL at a time in seconds (Infinity: the last); null when the browser cannot read it. */
export async function grabFrame(url, at = 0) {
  const video = Object.assign(document.createElement("video"), { muted: true, preload: "auto", src: url });
  const ready = await new Promise((resolve) => {
    video.addEventListener("loadeddata", () => resolve(true), { once: true });
    video.addEventListener("error", () => resolve(false), { once: true });
  });
  if (!ready) return null;
  if (at > 0) {
    const there = new Promise((resolve) => video.addEventListener("seeked", resolve, { once: true }));
    // The end itself is after the last frame's beginning, and before nothing: browsers show the last frame there.
    video.currentTime = Math.min(at, video.duration);
    await there;
  }
  return frameOf(video);
}
