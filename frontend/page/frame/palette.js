// The command palette: Ctrl+K, a few letters, Enter. Pages, what this page's buttons do, earlier requests, a search.

import { sentenceOf } from "../data/captions.js";
import { page, places, say } from "../data/facts.js";
import { live } from "../data/live.js";
import { press } from "../parts/keyboard.js";
import { useAgain } from "../parts/reuse.js";
import { ask } from "../parts/server.js";
import { html, render, useEffect, useRef, useSignal } from "../vendor/preact.js";

const MOST = 12; // lines at a time
const EARLIER = 20; // requests
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** Every command as { words, act }; those that go somewhere have a path. */
function commands(earlier) {
  const click = (selector) => () => document.querySelector(selector).click();
  const { paused } = live.state.system.queue ?? {};
  return [
    ...Object.entries(places)
      .filter(
        ([name, { title }], index, all) =>
          name !== page && all.findIndex(([, other]) => other.title === title) === index,
      )
      .map(([, { title, path }]) => ({ words: say("palette.go", { title }), act: () => location.assign(path) })),
    ...(document.querySelector("[data-hot~=submit], .o-hot-submit")
      ? [{ words: say("palette.submit"), act: () => press("submit") }]
      : []),
    { words: say("palette.theme"), act: click("[data-do=theme]") },
    { words: say("settings.title"), act: click("o-rail [data-do=settings]") },
    { words: say("palette.keys"), act: click("[data-do=keys]") },
    {
      words: say(paused ? "palette.resume" : "palette.pause"),
      act: () => ask("POST", `/v1/queue/${paused ? "resume" : "pause"}`),
    },
    ...earlier.map(({ request, checkpoint }) => ({
      words: say("palette.again", { prompt: sentenceOf(request.prompt) }),
      act: () => useAgain(request, checkpoint),
    })),
  ];
}

const fits = (words, text) =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.toLowerCase().includes(part));

/** The commands that words fit, and at the end the search for them. */
function commandsFor(words, earlier) {
  const act = () => location.assign(`${places.library.path}?q=${encodeURIComponent(words)}`);
  return [
    ...commands(earlier)
      .filter((command) => fits(command.words, words))
      .slice(0, MOST),
    ...(words ? [{ words: say("palette.search", { words }), act }] : []),
  ];
}

function Palette() {
  const dialog = useRef(null);
  const text = useSignal("");
  const chosen = useSignal(""); // the words of a command: what comes from the server later moves them
  const earlier = useSignal([]);

  useEffect(() => {
    async function open(event) {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
      event.preventDefault();
      if (dialog.current.open) return dialog.current.close();
      text.value = "";
      chosen.value = "";
      dialog.current.showModal();
      earlier.value = (await ask("GET", `/v1/jobs?limit=${EARLIER}`))?.jobs ?? [];
    }
    addEventListener("keydown", open, true);
    return () => removeEventListener("keydown", open, true);
  }, []);

  const placeIn = (found) =>
    Math.max(
      found.findIndex(({ words }) => words === chosen.value),
      0,
    );
  const found = commandsFor(text.value.trim(), earlier.value);
  const at = placeIn(found);
  const run = ({ act }) => {
    dialog.current.close();
    act();
  };
  function steer(event) {
    // A key may come before what was typed last is drawn.
    const found = commandsFor(text.value.trim(), earlier.value);
    const at = placeIn(found);
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      event.stopPropagation();
      if (found[at]) run(found[at]);
    }
    const step = STEPS[event.key];
    if (!step || !found.length) return;
    event.preventDefault();
    chosen.value = found[(at + step + found.length) % found.length].words;
  }
  return html`
    <dialog
      ref=${dialog}
      class="o-palette"
      aria-label=${say("palette.title")}
      onClick=${({ target }) => target === dialog.current && dialog.current.close()}
    >
      <input
        class="o-select"
        type="text"
        role="combobox"
        autocomplete="off"
        aria-expanded="true"
        aria-controls="o-palette-list"
        aria-activedescendant=${`o-palette-${at}`}
        aria-label=${say("palette.title")}
        placeholder=${say("palette.hint")}
        value=${text.value}
        onInput=${({ currentTarget }) => {
          text.value = currentTarget.value;
          chosen.value = "";
        }}
        onKeyDown=${steer}
      />
      <ul id="o-palette-list" role="listbox" aria-label=${say("palette.title")}>
        ${found.map(
          (command, index) => html`<li
            id=${`o-palette-${index}`}
            role="option"
            aria-selected=${String(index === at)}
            onPointerMove=${() => (chosen.value = command.words)}
            onClick=${() => run(command)}
          >
            ${command.words}
          </li>`,
        )}
      </ul>
    </dialog>
  `;
}

const host = document.createElement("div");
document.body.append(host);
render(html`<${Palette} />`, host);
