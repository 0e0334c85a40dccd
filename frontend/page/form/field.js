// Elements that stand for fields of the form: Gradio sets the `value` of each, and hears another one as `o-pick`.

import { html, render, signal } from "../vendor/preact.js";

/**
 * Define such an element. Its component gets `value`; `spec`, what the server wrote into the element; `pick(value)`;
 * and the `element` itself. With `blank` the value is an object of several fields, which `put(changes)` says anew.
 */
export function defineField(name, Component, blank = null) {
  customElements.define(
    name,
    class extends HTMLElement {
      #value = signal(blank);
      #spec = null;

      get value() {
        return this.#value.peek();
      }

      set value(value) {
        this.#value.value = blank ? { ...blank, ...value } : value;
      }

      connectedCallback() {
        this.#spec ??= JSON.parse(this.dataset.spec ?? "{}");
        render(html`<${this.#draw} />`, this);
      }

      #draw = () => html`
        <${Component}
          value=${this.#value.value}
          spec=${this.#spec}
          pick=${this.#pick}
          put=${(changes) => this.#pick({ ...this.value, ...changes })}
          element=${this}
        />
      `;

      #pick = (value) => this.dispatchEvent(new CustomEvent("o-pick", { detail: value }));
    },
  );
}
