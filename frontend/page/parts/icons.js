// Icons for what the scripts draw: paths on a 24 px grid, silent to screen readers.

import { html } from "../vendor/preact.js";

const PATHS = {
  star: "M12 3.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L3.6 9.7l5.8-.8z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  trash: "M4.5 6.5h15M9.5 6V4h5v2M6.5 6.5l1 13h9l1-13M10 10.5v5.5M14 10.5v5.5",
  restore: "M4.5 12a7.5 7.5 0 1 0 2.3-5.4M4.5 3.5v4h4",
  download: "M12 3.5v11M7.5 10.5l4.5 4.5 4.5-4.5M4.5 19.5h15",
  upload: "M12 15V4M7.5 8L12 3.5 16.5 8M4.5 19.5h15",
  compare: "M12 3.5v17M3.5 6.5h6v11h-6M20.5 6.5h-6v11h6",
  close: "M6 6l12 12M18 6L6 18",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5L20 20",
  filter: "M4 6h16M7 12h10M10 18h4",
  play: "M7 4.5l12 7.5-12 7.5z",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4a6.8 6.8 0 0 0 10.5 10.5z",
  pause: "M8 5v14M16 5v14",
  eject: "M12 5l7 8.5H5zM5 18.5h14",
  sound: "M4 10v4M8 6.5v11M12 9v6M16 4.5v15M20 9.5v5",
  curve: "M3.5 17c4 0 4-10 8.5-10s4.5 10 8.5 10",
  up: "M6 14.5l6-6 6 6",
  down: "M6 9.5l6 6 6-6",
  grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  send: "M4 12h15M13 6l6 6-6 6",
  again: "M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 3.5v4h-4",
  evaluate: "M4 20.5V4M4 20.5h16.5M8 16.5v-4M12.5 16.5V8M17 16.5v-6",
  copies: "M8.5 8.5h11v11h-11zM15.5 5.5v-1h-11v11h1",
  closed: "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11",
  open: "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 6.8-1.2",
  back: "M17 5.5L8.5 12l8.5 6.5zM6.5 5.5v13",
  forward: "M7 5.5l8.5 6.5L7 18.5zM17.5 5.5v13",
  silent: "M4 9.5h3.5L12 5.5v13l-4.5-4H4zM16 9.5l4.5 5M20.5 9.5l-4.5 5",
  loud: "M4 9.5h3.5L12 5.5v13l-4.5-4H4zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11",
  grow: "M4.5 9.5v-5h5M19.5 14.5v5h-5M4.5 4.5l6 6M19.5 19.5l-6-6",
  shrink: "M10.5 4.5v6h-6M13.5 19.5v-6h6M10.5 10.5l-6-6M13.5 13.5l6 6",
  wand: "M5 19L15 9M14 4.5v3M12.5 6h3M19 8.5v3M17.5 10h3M18 3.5v2M17 4.5h2",
  clock: "M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM12 7.5V12l3 2",
  bookmark: "M6.5 4h11v16l-5.5-4-5.5 4z",
  bell: "M6.5 16.5v-6a5.5 5.5 0 0 1 11 0v6l1.5 2H5zM10.5 20.5h3",
  grid: "M4 4h4v4H4zM10 4h4v4h-4zM16 4h4v4h-4zM4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4zM4 16h4v4H4zM10 16h4v4h-4zM16 16h4v4h-4z",
  disk: "M4 6.5c0-3.4 16-3.4 16 0v11c0 3.4-16 3.4-16 0zM4 6.5c0 3.4 16 3.4 16 0M4 12c0 3.4 16 3.4 16 0",
};

/** An icon of the table above; `size` in CSS pixels, both ways. */
export const Icon = ({ name, size = 16 }) => html`
  <svg class="o-svg" width=${size} height=${size} viewBox="0 0 24 24" aria-hidden="true" data-icon=${name}>
    <path d=${PATHS[name]} />
  </svg>
`;

/** A button with an icon and its words; with `quiet`, the words are its name and its tooltip only. */
export const IconButton = ({ icon: name, words, quiet = false, class: more = "", ...attributes }) => html`
  <button
    type="button"
    class=${["o-btn", quiet ? "o-quiet" : "", more].filter(Boolean).join(" ")}
    title=${quiet ? words : null}
    aria-label=${quiet ? words : null}
    ...${attributes}
  >
    <${Icon} name=${name} />${quiet ? null : html`<span>${words}</span>`}
  </button>
`;
