// Pages that share a place of the rail, as links above the form.

import { make } from "../parts/nodes.js";

class Tabs extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const { here, tabs } = JSON.parse(this.dataset.spec);
    this.setAttribute("role", "navigation");
    this.setAttribute("aria-label", document.querySelector("o-rail [aria-current]")?.textContent ?? "");
    this.append(
      ...Object.entries(tabs).map(([path, name]) =>
        make("a", { href: path, "aria-current": path === here ? "page" : null }, name),
      ),
    );
  }
}

customElements.define("o-tabs", Tabs);
