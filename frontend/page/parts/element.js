// Custom elements that a component draws: the served page names the element, its script says what is in it.

import { html, render } from "../vendor/preact.js";

/** Define an element whose content is the component's; it gets the element itself as `element`. */
export function define(name, Component) {
  customElements.define(
    name,
    class extends HTMLElement {
      connectedCallback() {
        render(html`<${Component} element=${this} />`, this);
      }
    },
  );
}
