// What a page looks at: an image, a video with its bar and its sound, or actions as curves; marks lie over it.

import { nameOf } from "../data/job_words.js";
import { say } from "../data/facts.js";
import { html, useLayoutEffect, useRef, useSignal, useState } from "../vendor/preact.js";
import { ActionsChart, useActions } from "./actions_chart.js";
import { Marks } from "./marks.js";
import { Playback } from "./playback.js";
import { Player } from "./player.js";
import { Waveform } from "./waveform.js";

let shown = null; // the node of the page's viewer, while there is one

/** An item of the library; `marks` are as `marksOf` finds them, `path` joins their points. */
export function Viewer({ item, marks = [], path = false }) {
  const node = useRef(null);
  const [playback] = useState(() => new Playback());
  const broken = useSignal(""); // id of the item whose file could not be shown
  const isActions = item.mime === "application/json" && !item.missing;
  const drawn = useActions(isActions ? item.url : null);
  const isGone = item.missing || broken.value === item.id || drawn === null;
  const shows = (type) => !isGone && !isActions && item.type === type;
  useLayoutEffect(() => {
    shown = node.current;
    return () => {
      shown = null;
    };
  }, []);
  useLayoutEffect(() => playback.take(item), [item.id]);
  const fail = () => {
    broken.value = item.id;
  };
  const isNone = !isGone && !isActions && !["image", "video"].includes(item.type);
  const ratio = item.width && item.height && !isActions ? item.width / item.height : 16 / 9;
  return html`
    <div
      ref=${node}
      class="o-viewer"
      style=${{ "--o-ratio": ratio }}
      data-type=${item.type}
      data-sound=${shows("video") && item.has_sound ? "" : null}
    >
      <div class="o-viewer-frame" key=${item.id}>
        ${shows("image") && html`<img src=${item.url} alt=${nameOf(item)} onError=${fail} />`}
        ${
          shows("video") &&
          html`<video
            ref=${playback.ref}
            src=${item.url}
            loop
            playsinline
            preload="auto"
            aria-label=${nameOf(item)}
            onClick=${() => playback.toggle()}
            onError=${fail}
          />`
        }
        ${drawn && html`<${ActionsChart} ...${drawn} />`}
        ${(isGone || isNone) && html`<p>${say(isGone ? "viewer.gone" : "viewer.none")}</p>`}
        ${marks.length > 0 && html`<${Marks} marks=${marks} path=${path} />`}
      </div>
      ${shows("video") && item.has_sound && html`<${Waveform} id=${item.id} playback=${playback} />`}
      ${shows("video") && html`<${Player} playback=${playback} whole=${node} sound=${item.has_sound} />`}
    </div>
  `;
}

/** Stop the clip that is looked at, if one is, and show it at a time. */
export function seek(seconds) {
  const clip = shown?.querySelector("video");
  if (!clip) return;
  clip.pause();
  clip.currentTime = seconds;
  shown.scrollIntoView({ block: "nearest" });
}
