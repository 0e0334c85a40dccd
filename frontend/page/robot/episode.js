// A recorded run played again beside its joints, under one playhead. It lies over what is live, but never over the
// stop.

import { say } from "../data/facts.js";
import { seen } from "../data/store.js";
import { hintOf } from "../data/faults.js";
import { toast } from "../parts/errors.js";
import { Playhead } from "../playhead/playhead.js";
import { PlayheadVideo, happens } from "../playhead/video.js";
import { html, render, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { EpisodePlot } from "./episode_plot.js";
import { robot } from "./link.js";
import { readClip, readEpisode } from "../data/recordings.js";

const SEEN = ["wrist", "exterior_1", "exterior_2"];
const TITLE = "robot-episode-title";

const place = document.createElement("section");
place.className = "o-episode";
place.setAttribute("aria-labelledby", TITLE);
place.addEventListener("keydown", (event) => event.key === "Escape" && !robot.engaged && shut());

let number = 0; // of what was opened; what comes for an older one is let go

export async function watch(name, index) {
  shut();
  const own = number;
  try {
    const episode = await readEpisode(name, index);
    const views = episode.divergence ? [...SEEN, "foreseen"] : SEEN;
    const clips = await Promise.all(views.map((view) => readClip(name, index, view)));
    if (own !== number) return;
    document.querySelector(".o-cockpit").append(place);
    render(html`<${Player} episode=${episode} views=${views} clips=${clips} />`, place);
  } catch (error) {
    if (own === number) toast(error.message || say("episode.gone"), hintOf(error), "bad");
  }
}

export function shut() {
  number++;
  render(null, place);
  place.remove();
}

function Player({ episode, views, clips }) {
  const { index, task, num_frames: frames, frames_per_second: fps } = episode;
  const shown = useRef(null);
  const play = useRef(null);
  const [playhead] = useState(() => new Playhead());
  const { frame, playing } = seen(playhead);
  useLayoutEffect(() => {
    play.current.focus();
    return begin(playhead, [...shown.current.children], clips, fps);
  }, []);

  const total = frames / fps;
  const at = frame / playhead.fps;
  const share = Math.min(at / total, 1);
  const words = say("episode.at", { at: at.toFixed(1), total: total.toFixed(1) });
  const seek = (to) => playhead.scrub(Math.floor(to * playhead.frames));
  return html`
    <header>
      <b id=${TITLE}>${`${index}  ${task || say("episode.untold")}`}</b>
      <button type="button" class="o-btn" data-do="episode-close" onClick=${shut}>${say("episode.close")}</button>
    </header>
    <div class="o-episode-seen">
      <div ref=${shown} class="o-episode-clips">
        ${views.map((view) => html`<video muted playsinline aria-label=${say(`episode.view.${view}`)} data-view=${view} />`)}
      </div>
      <${EpisodePlot} episode=${episode} share=${share} seek=${seek} />
    </div>
    <div class="o-episode-bar">
      <button ref=${play} type="button" class="o-btn" data-do="episode-play" onClick=${() => playhead.toggle()}>
        ${say(playing ? "episode.pause" : "episode.play")}
      </button>
      <input
        type="range"
        min="0"
        max="1000"
        step="1"
        value=${1000 * share}
        aria-label=${say("episode.position")}
        aria-valuetext=${words}
        style=${{ "--range_progress": `${100 * share}%` }}
        onInput=${({ currentTarget }) => seek(currentTarget.value / 1000)}
      />
      <span class="o-num">${words}</span>
    </div>
  `;
}

/** Play the clips in their videos once they can be; what is returned lets go of all of it. */
function begin(playhead, videos, clips, fps) {
  const addresses = clips.map((clip) => URL.createObjectURL(clip));
  const loaded = Promise.all(videos.map((video) => happens(video, "loadeddata").catch(() => {})));
  let gone = false;
  videos.forEach((video, index) => (video.src = addresses[index]));
  videos[0].addEventListener("error", () => !gone && toast(say("episode.no_clip"), "", "bad"));
  loaded.then(() => {
    if (gone) return;
    playhead.clips = videos
      .filter((video) => video.readyState)
      .map((video) => new PlayheadVideo(video, { fps, length: video.duration }));
    playhead.play();
  });
  return () => {
    gone = true;
    if (playhead.playing) playhead.pause();
    playhead.clips = [];
    for (const video of videos) {
      video.removeAttribute("src");
      video.load(); // or it goes on reading what is let go below
    }
    for (const address of addresses) URL.revokeObjectURL(address);
  };
}
