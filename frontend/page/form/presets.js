// A form's values under a name, kept by the server: every device loads the same.

import { toast } from "../parts/errors.js";
import { kind, say } from "../data/facts.js";
import { form } from "./values.js";
import { icon } from "../parts/icons.js";
import { make } from "../parts/nodes.js";
import { popover } from "../parts/popover.js";
import { load } from "../parts/reuse.js";
import { ask, askJson } from "../parts/server.js";

/** The button, what is saved, and a line to save under. */
export function formPresets() {
  const button = make(
    "button",
    { type: "button", class: "o-btn", "data-do": "presets" },
    icon("bookmark", 15),
    say("tools.presets"),
  );
  const name = make("input", {
    type: "text",
    maxlength: 80,
    placeholder: say("tools.preset_name"),
    "aria-label": say("tools.preset_name"),
  });
  const save = make("button", { type: "submit", class: "o-btn" }, say("tools.save"));
  const line = make("form", { class: "o-save" }, name, save);
  const list = make("div", { class: "o-preset-list" });

  let asked = 0;
  const draw = async () => {
    const turn = ++asked;
    const presets = (await ask("GET", `/v1/presets?kind=${kind}`))?.presets ?? [];
    if (turn !== asked) return; // overtaken by what was asked later
    list.replaceChildren(...(presets.length ? presets.map(row) : [make("p", {}, say("tools.no_presets"))]));
  };
  const row = (preset) => {
    const take = () => {
      load(preset.values);
      pop.close();
      toast(say("tools.loaded", { name: preset.name }));
    };
    const drop = async () => {
      if (!(await ask("DELETE", `/v1/presets/${preset.id}`))) return;
      draw();
      const saveAgain = () =>
        askJson("POST", "/v1/presets", { kind, name: preset.name, values: preset.values }).then(draw);
      toast(say("tools.deleted", { name: preset.name }), "", "good", { words: say("did.undo"), act: saveAgain });
    };
    return make(
      "div",
      { class: "o-preset" },
      make("button", { type: "button", class: "o-row", on: { click: take } }, preset.name),
      make(
        "button",
        {
          type: "button",
          class: "o-btn o-quiet",
          "aria-label": say("tools.delete", { name: preset.name }),
          on: { click: drop },
        },
        icon("trash", 15),
      ),
    );
  };
  line.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!name.value.trim()) return name.focus();
    const { kind: _, ...values } = form.request();
    const saved = await askJson("POST", "/v1/presets", { kind, name: name.value, values });
    if (!saved) return;
    toast(say("tools.saved", { name: saved.name }));
    name.value = "";
    draw();
  });
  const pop = popover(button, { opened: draw });
  pop.panel.append(line, list);
  return pop.node;
}
