// Ask: what is asked about, beside the conversation about it.

import "./ask_talk.js";
import "./ask_view.js";
import { make } from "./nodes.js";

class Ask extends HTMLElement {
  connectedCallback() {
    if (!this.firstChild) this.append(make("o-ask-view"), make("o-ask-talk"));
  }
}

customElements.define("o-ask", Ask);
