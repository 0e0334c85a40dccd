// What the library takes on disk, and what is done with all of it: export, import, delete everything.

import { counted, say } from "../data/facts.js";
import { toast } from "../parts/errors.js";
import { Icon, IconButton } from "../parts/icons.js";
import { library } from "./store.js";
import { bytes } from "../data/recipe.js";
import { ask, askJson } from "../parts/server.js";
import { seen } from "../data/store.js";
import { Meter } from "../parts/progress_bar.js";
import { createRef, html, useRef, useState } from "../vendor/preact.js";

const SURE = "delete everything"; // what the server wants to read, and the person to write
// What is said of items; the other sorts belong to these.
const COUNTED = ["comparisons", "refinements", "questions", "votes", "benchmarks", "runs", "tunings"];
const TITLE = "library-storage-title";

/** The dialog, for whoever opens it. */
export const storage = createRef();

export function Storage() {
  const { usage } = seen(library);
  const file = useRef(null);
  const [word, setWord] = useState("");
  const [busy, setBusy] = useState(false);
  const close = () => storage.current.close();

  async function order(asked, wordsOf) {
    setBusy(true);
    const answer = await asked;
    setBusy(false);
    if (!answer) return;
    close();
    toast(wordsOf(answer));
    library.search();
  }
  const deleteAll = () => order(askJson("DELETE", "/v1/library", { confirm: SURE }), () => say("did.erased"));
  async function load({ target }) {
    const archive = new Blob([target.files[0]], { type: "application/zip" });
    target.value = "";
    await order(ask("POST", "/v1/library/import", archive), imported);
    close(); // what is said in the corner lies under an open dialog
  }

  return html`
    <o-library-storage>
      <dialog ref=${storage} class="o-sheet" aria-labelledby=${TITLE} onClose=${() => setWord("")}>
        <header>
          <h2 id=${TITLE}>${say("library.storage")}</h2>
          <${IconButton} icon="close" words=${say("error.close")} quiet onClick=${close} />
        </header>
        ${usage && html`<${Usage} ...${usage} />`}
        <div class="o-acts">
          <a class="o-btn" href="/v1/library/export" download="orrery-library.zip" data-do="export">
            <${Icon} name="download" />${say("storage.export")}
          </a>
          <${IconButton}
            icon="upload"
            words=${say("storage.import")}
            data-do="import"
            disabled=${busy}
            onClick=${() => file.current.click()}
          />
          <input
            ref=${file}
            type="file"
            accept=".zip,application/zip"
            hidden
            aria-label=${say("storage.import")}
            onChange=${load}
          />
        </div>
        <p class="o-hint">${say("storage.export_hint")}</p>
        <section class="o-danger">
          <h3>${say("storage.delete")}</h3>
          <p>${say("storage.type_it", { words: SURE })}</p>
          <div class="o-acts">
            <input
              class="o-select"
              autocomplete="off"
              spellcheck=${false}
              aria-label=${say("storage.type_it", { words: SURE })}
              value=${word}
              onInput=${({ target }) => setWord(target.value)}
            />
            <${IconButton}
              icon="trash"
              words=${say("storage.delete")}
              class="o-bad"
              data-do="delete-all"
              disabled=${busy || word.trim().toLowerCase() !== SURE}
              onClick=${deleteAll}
            />
          </div>
        </section>
      </dialog>
    </o-library-storage>
  `;
}

function Usage({ num_items, size_bytes, num_trashed, trash_bytes, quota_bytes, free_bytes }) {
  const share = Math.min(size_bytes / (quota_bytes ?? size_bytes + free_bytes), 1);
  const lines = {
    used: counted("storage.items", num_items, { size: bytes(size_bytes) }),
    trash: counted("storage.items", num_trashed, { size: bytes(trash_bytes) }),
    quota: quota_bytes ? bytes(quota_bytes) : say("storage.no_quota"),
    free: bytes(free_bytes),
  };
  return html`
    <${Meter} share=${share} aria-label=${say("storage.meter")} />
    <dl class="o-recipe">
      ${Object.entries(lines).map(([name, value]) => html`<dt>${say(`storage.${name}`)}</dt><dd>${value}</dd>`)}
    </dl>
  `;
}

/** What an import brought, in words. */
function imported({ num_items, num_known_items, records, ...files }) {
  const { num_own_files: own, num_known_own_files: known, num_refused_own_files: refused } = files;
  const knownRecords = COUNTED.reduce((total, sort) => total + records[sort].num_known, 0);
  return [
    counted("did.imported", num_items, { known: num_known_items }),
    own + known && counted("did.imported_own", own, { known }),
    refused && counted("did.refused_own", refused),
    ...COUNTED.map((sort) => records[sort].num_added && counted(`did.imported_${sort}`, records[sort].num_added)),
    knownRecords && counted("did.known_records", knownRecords),
  ]
    .filter(Boolean)
    .join(" · ");
}
