// The exact canvas in pixels, beside the size: it follows from tier and shape.

import { say } from "./facts.js";
import { form } from "./form_values.js";
import { write } from "./nodes.js";
import { Part } from "./part.js";

class Canvas extends Part {
  sources() {
    return [form];
  }

  paint() {
    const [width, height] = form.canvas ?? [];
    write(this, width ? say("form.pixels", { width, height }) : "");
  }
}

customElements.define("o-canvas", Canvas);
