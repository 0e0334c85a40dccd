// What the scripts rely on beyond the browser's own types.

interface Window {
  /** For whoever looks at a page from outside: the console, and the tests. */
  orrery: object;
  /** What Gradio draws its pages from; absent where it draws nothing. */
  gradio_config?: { title: string };
}

interface ParentNode {
  /** Most of what is looked for is an element of ours, with methods of its own. */
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}

interface Event {
  /** Our own events are all custom events. */
  readonly detail: any;
}
