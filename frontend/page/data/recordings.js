// What a robot recorded, over HTTP: anybody who may look at the robot may look at that.

/** The answer of a path below a robot's, or throws { message, hint }. */
async function ask(name, path) {
  const reply = await fetch(address(name, path)).catch(() => null);
  if (reply?.ok) return reply;
  throw (await reply?.json().catch(() => null))?.error ?? { message: "", hint: "" };
}

const address = (name, path) => `/v1/robots/${encodeURIComponent(name)}/${path}`;

/** { episodes, num_judged, num_successes, success_interval } */
export const listEpisodes = async (name) => (await ask(name, "episodes")).json();

/** { states, actions, clamped, stride, frames_per_second, … } */
export const readEpisode = async (name, index) => (await ask(name, `episodes/${index}`)).json();

/** A clip whole: only then can it be moved about in. */
export const readClip = async (name, index, view) => (await ask(name, `episodes/${index}/${view}.mp4`)).blob();

export const exportAddress = (name) => address(name, "recordings.tar");
