// How far something is, and how full.

import { html } from "../vendor/preact.js";

/** A bar of 0 to 100 percent; further attributes, such as its label, go onto it. */
export const ProgressBar = ({ percent, ...attributes }) => html`
  <div class="o-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${percent} ...${attributes}>
    <i style=${{ width: `${percent}%` }} />
  </div>
`;

/** How full something is, from 0 to 1; it warns above nine tenths. */
export const Meter = ({ share, ...attributes }) => html`
  <div
    class="o-bar"
    role="meter"
    aria-valuemin="0"
    aria-valuemax="100"
    aria-valuenow=${Math.round(share * 100)}
    data-full=${share > 0.9 ? "true" : null}
    ...${attributes}
  >
    <i style=${{ width: `${share * 100}%` }} />
  </div>
`;
