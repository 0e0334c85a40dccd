// How far something is.

import { html } from "../vendor/preact.js";

/** A bar of 0 to 100 percent; further attributes, such as its label, go onto it. */
export const ProgressBar = ({ percent, ...attributes }) => html`
  <div class="o-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${percent} ...${attributes}>
    <i style=${{ width: `${percent}%` }} />
  </div>
`;
