// The exact canvas in pixels, beside the size: it follows from tier and shape.

import { say } from "../data/facts.js";
import { form } from "./values.js";
import { write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";

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
