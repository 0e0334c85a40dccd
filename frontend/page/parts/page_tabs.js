// The tabs of a page; the address says which is open.

import { html, useEffect, useSignal } from "../vendor/preact.js";

/**
 * A row of tabs with a panel each. `panels` has a component by name, `words` what a tab is called; `id` begins the ids
 * of its elements. A component is told `opened`: how often a tab was opened while it is the open one, else 0.
 */
export function PageTabs({ id, label, panels, words }) {
  const opened = useSignal(1);
  useEffect(() => addEventListener("hashchange", () => (opened.value += 1)), []);
  const names = Object.keys(panels);
  const named = location.hash.slice(1);
  const current = names.includes(named) ? named : names[0];

  function open(name) {
    history.replaceState(null, "", `${location.pathname}${location.search}#${name}`);
    opened.value += 1;
  }

  function key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const tabs = event.currentTarget.children;
    const to = (names.indexOf(current) + by + names.length) % names.length;
    open(names[to]);
    tabs[to].focus();
  }

  return html`
    <div class="o-page-tabs" role="tablist" aria-label=${label} onKeyDown=${key}>
      ${names.map(
        (name) => html`
          <button
            type="button"
            role="tab"
            id=${`${id}-tab-${name}`}
            aria-controls=${`${id}-${name}`}
            aria-selected=${String(name === current)}
            tabindex=${name === current ? 0 : -1}
            onClick=${() => open(name)}
          >
            ${words(name)}
          </button>
        `,
      )}
    </div>
    ${names.map(
      (name) => html`
        <div role="tabpanel" id=${`${id}-${name}`} aria-labelledby=${`${id}-tab-${name}`} hidden=${name !== current}>
          <${panels[name]} opened=${name === current ? opened.value : 0} />
        </div>
      `,
    )}
  `;
}
