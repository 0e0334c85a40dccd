// Pages that share a place of the rail, as links above the form.

import { define, useAttributes } from "../parts/element.js";
import { html } from "../vendor/preact.js";

define("o-tabs", ({ element }) => {
  const { here, tabs } = JSON.parse(element.dataset.spec);
  const label = document.querySelector("o-rail [aria-current]")?.textContent ?? "";
  useAttributes(element, { role: "navigation", "aria-label": label });
  return Object.entries(tabs).map(
    ([path, name]) => html`<a href=${path} aria-current=${path === here ? "page" : null}>${name}</a>`,
  );
});
