// The bar under a video: play, step by frames, seek, sound, speed, full screen. J and L or the arrows step, K plays.

import { say } from "../data/facts.js";
import { Icon } from "../parts/icons.js";
import { isTyping } from "../parts/keyboard.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const STEPS = { j: -1, ArrowLeft: -1, l: 1, ArrowRight: 1 };
const TAKES_ARROWS =
  "[role=radio], [role=slider], [role=menu], input[type=range], select, o-strip button, .o-tile, .o-popover";

/**
 * Drives a `Playback`. `whole` is the ref of what fills the screen: the video, its sound and this bar; `sound` is
 * whether there is any; while `idle` it only holds its place.
 */
export function Player({ playback, whole, sound, idle = false }) {
  const [frames, frame, paused, muted, speed] = ["frames", "frame", "paused", "muted", "speed"].map(
    (name) => playback[name].value,
  );
  const isGrown = useGrown(whole);
  useEffect(() => {
    const onKey = (event) => idle || step(event, playback);
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [playback, idle]);

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
      <input
        type="range"
        min="0"
        max=${frames - 1}
        step="1"
        value=${frame}
        aria-label=${say("player.seek")}
        aria-valuetext=${say("player.frame", { frame: frame + 1, frames })}
        style=${{ "--range_progress": `${(100 * frame) / Math.max(frames - 1, 1)}%` }}
        onInput=${({ target }) => playback.goTo(Number(target.value))}
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

function step(event, playback) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (document.querySelector("dialog[open]:not(.o-lightbox)")) return;
  if (event.key.startsWith("Arrow") && event.target.closest?.(TAKES_ARROWS)) return;
  if (event.key === "k") playback.toggle();
  else if (STEPS[event.key]) playback.step(STEPS[event.key]);
  else return;
  event.preventDefault();
}
