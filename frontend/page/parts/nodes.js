// Making and changing DOM nodes. Text goes in as text, never as markup.

/** make("button", { type: "button", class: "o-btn" }, "Cancel"): attributes, listeners under `on`, children. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Write text only where it differs, so that nothing is announced or repainted for nothing. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Set an attribute only where it differs; null takes it away. */
export function mark(node, name, value) {
  if (value == null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Bring children into this order and let go of the others; who stays where it is keeps the focus. */
export function arrange(parent, nodes) {
  const staying = new Set(nodes);
  for (const child of [...parent.children]) if (!staying.has(child)) child.remove();
  nodes.forEach((node, index) => {
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  });
}

/** Show or hide. */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/** A bar of 0 to 100 around its fill; attributes such as its label or `hidden` go on top. */
export function progressBar(fill, attributes = {}) {
  const bar = { class: "o-bar", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 };
  return make("div", { ...bar, ...attributes }, fill);
}
