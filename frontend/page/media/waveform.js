// A clip's sound as a line of peaks with the playhead on it; a click goes there.

import { say } from "../data/facts.js";
import { html, useEffect, useRef, useSignal } from "../vendor/preact.js";

const BARS = 240;
const [WIDTH, HEIGHT] = [2 * BARS * 3, 96];

/** The sound of the clip `id`, which `playback` moves; without one, room for it. */
export function Waveform({ id, playback }) {
  const canvas = useRef(null);
  const peaks = useSignal([]); // of the loudest channel, from 0 to 1
  useEffect(() => {
    let current = true;
    const show = (found) => {
      if (current) peaks.value = found;
    };
    show([]);
    if (id) peaksOf(id).then(show);
    return () => {
      current = false;
    };
  }, [id]);
  useEffect(() => draw(canvas.current, peaks.value), [peaks.value]);

  function goTo({ currentTarget, offsetX }) {
    playback.goTo(Math.round((offsetX / currentTarget.clientWidth) * (playback.frames.peek() - 1)));
  }
  const at = (100 * playback.frame.value) / Math.max(playback.frames.value - 1, 1);
  return html`
    <div class="o-wave" data-peaks=${peaks.value.length} onPointerDown=${goTo}>
      <canvas ref=${canvas} width=${WIDTH} height=${HEIGHT} role="img" aria-label=${say("waveform.label")} />
      <i style=${{ left: `${at}%` }} />
    </div>
  `;
}

async function peaksOf(id) {
  const reply = await fetch(`/v1/media/${id}/waveform`).catch(() => null);
  const channels = reply?.ok ? (await reply.json()).peaks : [[]];
  return channels[0].map((_, at) => Math.max(...channels.map((channel) => channel[at])));
}

function draw(canvas, peaks) {
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = "#4fd1c5";
  const loudest = Math.max(...peaks, 1e-3);
  for (let bar = 0; bar < BARS; bar += 1) {
    const from = Math.floor((bar * peaks.length) / BARS);
    const to = Math.max(Math.floor(((bar + 1) * peaks.length) / BARS), from + 1);
    const peak = Math.max(0, ...peaks.slice(from, to)) / loudest;
    const tall = Math.max(2, peak * (HEIGHT - 8));
    context.fillRect((bar * WIDTH) / BARS + 1, (HEIGHT - tall) / 2, WIDTH / BARS - 2, tall);
  }
}
