// The library: what is looked for, what can be done with what was chosen, the grid, and the item that is looked at.

import { Boards } from "./boards.js";
import { Chosen } from "./chosen.js";
import { Filters } from "./filters.js";
import { Grid } from "./grid.js";
import { Peek } from "./peek.js";
import { Storage, storage } from "./storage.js";
import { define } from "../parts/element.js";
import { toast } from "../parts/errors.js";
import { say } from "../data/facts.js";
import { library } from "./store.js";
import { upload } from "../media/media_facts.js";
import { html, useEffect } from "../vendor/preact.js";

function Library() {
  useEffect(() => {
    const showStorage = () => {
      if (location.hash !== "#storage") return;
      history.replaceState(history.state, "", `${location.pathname}${location.search}`);
      storage.current.showModal();
    };
    addEventListener("hashchange", showStorage);
    showStorage();
    document.addEventListener("o-files", async ({ detail }) => {
      for (const file of detail) {
        if (await upload(file, (why) => toast(why, "", "bad"))) toast(say("did.uploaded", { name: file.name }));
      }
      library.search();
    });
  }, []);
  return html`
    <${Filters} />
    <${Boards} />
    <${Chosen} />
    <div class="o-library-body"><${Grid} /><${Peek} /></div>
    <${Storage} />
  `;
}

define("o-library", Library);
