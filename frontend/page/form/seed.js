// The buttons beside the seed; the value is whether it is locked.

import { SeedButtons } from "../parts/seed.js";
import { html } from "../vendor/preact.js";
import { defineField } from "./field.js";

defineField(
  "o-seed",
  ({ value: locked, pick, element }) => html`
    <${SeedButtons}
      locked=${locked}
      fresh=${() => element.dispatchEvent(new Event("o-fresh"))}
      next=${() => element.dispatchEvent(new Event("o-next"))}
      lock=${() => pick(!locked)}
    />
  `,
);
