// A picture or a clip that a request cannot do without.

import { say } from "../data/facts.js";
import { HeldPart } from "./held_part.js";
import { MediaBox } from "../media/media_box.js";

class OneMedia extends HeldPart {
  type = "";
  path = "";

  build() {
    this.box = new MediaBox({
      types: [this.type],
      title: say(`needed.${this.type}`),
      empty: say(`needed.${this.type}_empty`),
      picked: ({ id }) => this.put({ [this.path]: id }),
      cleared: () => this.put({ [this.path]: null }),
    });
    this.append(this.box.node);
  }

  paint() {
    this.box.show(this.held[this.path] ?? null);
  }
}

class Picture extends OneMedia {
  type = "image";
  path = "start_image";
}

class Clip extends OneMedia {
  type = "video";
  path = "source_video";
}

customElements.define("o-picture", Picture);
customElements.define("o-clip", Clip);
