// The prompt written out by the reasoner: beside the person's words, with what was kept of them, taken or left, and
// undone.

import { kind, say } from "../data/facts.js";
import { faultWords } from "../data/faults.js";
import { form } from "./values.js";
import { icon } from "../parts/icons.js";
import { takes } from "../data/kinds.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { fill } from "../parts/reuse.js";
import { sectionsOf, wordsOf } from "./word_diff.js";

// Size and length stand in the caption.
const SENTENCES = { use_resolution_template: false, use_duration_template: false };

/**
 * `{ button, undo, panel }`; `refused` says why no caption belongs to what this page makes, and is empty where one
 * does.
 */
export function upsampling(refused) {
  let asking = null;
  let before = null;
  const words = make("span", {}, say("upsample.start"));
  const button = make("button", { type: "button", class: "o-btn", "data-do": "upsample" }, icon("wand", 15), words);
  if (refused) {
    mark(button, "aria-disabled", "true");
    button.title = say("upsample.refused", { why: refused });
  }
  const undo = make(
    "button",
    { type: "button", class: "o-btn", hidden: true, "data-do": "undo-upsample" },
    icon("restore", 15),
    say("upsample.undo"),
  );
  const status = make("p", { role: "status" });
  const diff = make("div", { class: "o-diff" });
  const panel = make(
    "div",
    { class: "o-upsampled", hidden: true, role: "region", "aria-label": say("upsample.title") },
    status,
    diff,
  );

  const stop = () => {
    asking?.abort();
    asking = null;
    write(words, say("upsample.start"));
  };
  const refuse = (message) => {
    write(status, message);
    diff.replaceChildren();
    show(panel, true);
  };
  const take = (answer) => {
    const names = ["prompt", ...Object.keys(SENTENCES)];
    before = Object.fromEntries(names.filter((name) => name in form.values).map((name) => [name, form.values[name]]));
    fill({ prompt: answer.prompt, ...SENTENCES });
    show(panel, false);
    show(undo, true);
    undo.focus();
  };
  const draw = (answer) => {
    const { diff: found } = answer;
    write(status, say("upsample.kept", { share: Math.round(100 * found.share_kept), lost: found.lost.length }));
    diff.replaceChildren(
      make("h3", {}, say("upsample.yours")),
      make("p", { class: "o-diff-words" }, ...wordsOf(form.values.prompt, found.words)),
      make("h3", {}, say("upsample.written")),
      make(
        "div",
        { class: "o-diff-caption", tabindex: 0, role: "group", "aria-label": say("upsample.written") },
        ...sectionsOf(answer.caption, found.words),
      ),
      make(
        "div",
        { class: "o-diff-buttons" },
        make(
          "button",
          { type: "button", class: "o-btn o-strong", on: { click: () => take(answer) } },
          say("upsample.use"),
        ),
        make(
          "button",
          {
            type: "button",
            class: "o-btn",
            on: {
              click: () => {
                show(panel, false);
                button.focus();
              },
            },
          },
          say("upsample.keep"),
        ),
      ),
    );
    show(panel, true);
    panel.querySelector(".o-strong").focus();
  };
  button.addEventListener("click", async () => {
    if (asking) return stop();
    if (refused) return panel.hidden ? refuse(say("upsample.refused", { why: refused })) : show(panel, false);
    if (!form.values?.prompt?.trim()) return refuse(say("upsample.nothing"));
    if (takes(kind)["controls.video"] && !form.get("controls")?.length) return refuse(say("upsample.follows_nothing"));
    asking = new AbortController();
    write(words, say("upsample.stop"));
    write(status, say("upsample.writing"));
    diff.replaceChildren();
    show(panel, true);
    try {
      const body = JSON.stringify(form.request());
      const reply = await fetch("/v1/upsample", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
        signal: asking.signal,
      });
      const answer = await reply.json();
      if (reply.ok) draw(answer);
      else refuse(faultWords(answer.error));
    } catch (error) {
      if (error.name === "AbortError") show(panel, false);
      else refuse(say("error.unreachable"));
    }
    stop();
  });
  undo.addEventListener("click", () => {
    fill(before);
    show(undo, false);
    button.focus();
  });
  return { button, undo, panel };
}
