// The bar under a video: play, step by frames, seek, sound, speed, full screen.

import { say } from "../data/facts.js";
import { FrameSlider, useFrameKeys } from "../parts/frames.js";
import { Icon } from "../parts/icons.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

/**
 * Drives a `Playback`. `whole` is the ref of what fills the screen: the video, its sound and this bar; `sound` is
 * whether there is any; while `idle` it only holds its place.
 */
export function Player({ playback, whole, sound, idle = false }) {
  const [frames, frame, paused, muted, speed] = ["frames", "frame", "paused", "muted", "speed"].map(
    (name) => playback[name].value,
  );
  const isGrown = useGrown(whole);
  useFrameKeys(playback, whole, () => !idle);

  // An iPhone grows nothing but a video.
  function grow() {
    if (!whole.current.requestFullscreen) playback.grow();
    else if (isGrown) document.exitFullscreen();
    else whole.current.requestFullscreen().catch(() => {});
  }

  return html`
    <div class="o-player" role="group" aria-label=${say("player.label")} data-frame=${frame} data-idle=${idle || null}>
      <${Key} icon="back" words=${say("player.back")} act=${() => playback.step(-1)} />
      <${Key}
        icon=${paused ? "play" : "pause"}
        words=${say(paused ? "player.play" : "player.pause")}
        act=${() => playback.toggle()}
      />
      <${Key} icon="forward" words=${say("player.forward")} act=${() => playback.step(1)} />
      <${FrameSlider}
        ...${{ frame, frames }}
        label=${say("player.seek")}
        words=${say("player.frame", { frame: frame + 1, frames })}
        go=${(at) => playback.goTo(at)}
      />
      <span class="o-num">${frame + 1} / ${frames}</span>
      <button
        type="button"
        class="o-play o-num"
        aria-label=${say("player.speed")}
        title=${say("player.speed")}
        onClick=${() => playback.faster()}
      >
        ${speed}×
      </button>
      ${
        sound &&
        html`<${Key}
          icon=${muted ? "silent" : "loud"}
          words=${say(muted ? "player.unmute" : "player.mute")}
          act=${() => playback.mute(!muted)}
        />`
      }
      <${Key}
        icon=${isGrown ? "shrink" : "grow"}
        words=${say(isGrown ? "player.shrink" : "player.grow")}
        act=${grow}
      />
    </div>
  `;
}

const Key = ({ icon, words, act }) => html`
  <button type="button" class="o-play" aria-label=${words} title=${words} onClick=${act}>
    <${Icon} name=${icon} size="17" />
  </button>
`;

/** Whether an element has all of the screen. */
function useGrown(whole) {
  const grown = useSignal(false);
  useEffect(() => {
    const look = () => {
      grown.value = document.fullscreenElement === whole.current;
    };
    document.addEventListener("fullscreenchange", look);
    return () => document.removeEventListener("fullscreenchange", look);
  }, []);
  return grown.value;
}
