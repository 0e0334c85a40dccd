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

/** Show or hide. */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}
