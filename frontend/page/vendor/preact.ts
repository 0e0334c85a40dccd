// What the page's scripts have of Preact, its signals and htm. `make vendor` makes preact.js of it: one file that every
// page imports, which a browser keeps. The type checker reads this one. Licences: LICENSES.txt.

import htm from "htm";
import { h, options, type VNode } from "preact";

// Drawn at most once per animation frame, however many messages come.
options.debounceRendering = requestAnimationFrame;

/** Markup as in HTML: html`<button class="o-btn" onClick=${act}>${words}</button>`. Text goes in as text. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

export { Fragment, createRef, render } from "preact";
export { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, untracked, useComputed, useSignal, useSignalEffect } from "@preact/signals";
