// Ask: what is asked about, beside the conversation about it.

import "./talk.js";
import "./view.js";
import { make } from "../parts/nodes.js";

class Ask extends HTMLElement {
  connectedCallback() {
    if (!this.firstChild) this.append(make("o-ask-view"), make("o-ask-talk"));
  }
}

customElements.define("o-ask", Ask);
