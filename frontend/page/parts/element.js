// Custom elements that a component draws: the served page names the element, its script says what is in it.

import { html, render, useLayoutEffect } from "../vendor/preact.js";

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

/** Attributes of the element itself, as its component has them now; null and false take one away. */
export function useAttributes(element, attributes) {
  useLayoutEffect(() => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value == null || value === false) element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : value);
    }
  });
}
