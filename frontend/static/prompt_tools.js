// Below the prompt: have it written out, take an earlier one, keep and load the form's values.

import { formPresets } from "./form_presets.js";
import { promptHistory } from "./prompt_history.js";
import { upsampling } from "./upsampling.js";

class PromptTools extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const { upsamples } = JSON.parse(this.dataset.spec);
    const upsample = upsamples ? upsampling() : null;
    this.append(...(upsample ? [upsample.button] : []), promptHistory(), formPresets(), ...(upsample ? [upsample.undo, upsample.panel] : []));
  }
}

customElements.define("o-prompt-tools", PromptTools);
