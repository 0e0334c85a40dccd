// Where a result can go from here: to a form that starts from it, or to the assistant.

import { hasWords, pages, places, say } from "../data/facts.js";
import { frameOf } from "../media/frame_grab.js";
import { icon } from "../parts/icons.js";
import { upload } from "../media/media_facts.js";
import { canMake, fieldFor } from "../data/kinds.js";
import { make } from "../parts/nodes.js";
import { popover } from "../parts/popover.js";
import { refusalAt, refusalOf } from "../data/refusals.js";
import { beginnings, refineFrom } from "../parts/send.js";
import { ask } from "../parts/server.js";

const refused = (words, why) =>
  make("button", { type: "button", class: "o-row", "aria-disabled": "true" }, words, make("small", {}, why));

const takeAFrame = Object.keys(pages).filter(
  (name) => fieldFor(pages[name][1], "image") && hasWords(`send_to.frame_${name}`),
);

/** `{ node, show(result, job) }`: a button and its menu; `videoOnStage` gives the element whose frame may be sent. */
export function sendTo(videoOnStage) {
  const button = make(
    "button",
    { type: "button", class: "o-btn", "data-do": "send" },
    icon("send", 15),
    say("send_to.title"),
  );
  const pop = popover(button, { up: true, opened: () => draw() });
  let result = null;
  let job = null;
  const link = (name, words) => {
    const why = refusalAt(name);
    if (why) return refused(words, why);
    return make("a", { class: "o-row", href: `${(pages[name] ?? [places[name]?.path])[0]}?from=${result.id}` }, words);
  };
  const frame = (name) => {
    const words = say(`send_to.frame_${name}`);
    const why = refusalAt(name);
    if (why) return refused(words, why);
    const send = async () => {
      const file = await frameOf(videoOnStage());
      const item = file && (await upload(file, () => {}));
      if (item) location.assign(`${pages[name][0]}?from=${item.id}`);
    };
    return make("button", { type: "button", class: "o-row", on: { click: send } }, words);
  };
  const again = (sound) => {
    const words = say(sound ? "send_to.with_sound" : "send_to.without_sound");
    const why = job.request.checkpoint ? "" : refusalOf(job.kind, sound);
    if (why) return refused(words, why);
    const run = async () => {
      pop.close();
      const request = { ...job.request, sound, count: 1, sampling: { ...job.request.sampling, seed: result.seed } };
      await ask("POST", "/v1/jobs", new Blob([JSON.stringify(request)], { type: "application/json" }));
    };
    return make("button", { type: "button", class: "o-row", on: { click: run } }, words);
  };
  const draw = () => {
    const known = beginnings(result).filter((name) => pages[name] ?? places[name]);
    const refine = refineFrom(result.id, job.request);
    pop.panel.replaceChildren(
      ...known.map((name) => link(name, say(`send_to.${result.type}_${name}`))),
      ...(refine ? [make("a", { class: "o-row", href: refine, "data-to": "refine" }, say("send_to.refine"))] : []),
      ...(result.type === "video" ? takeAFrame.map(frame) : []),
      ...(canMake(job.kind, "sound") ? [again(!job.request.sound)] : []),
    );
  };
  const show = (shown, of) => {
    result = shown;
    job = of;
    pop.node.hidden = !(result && beginnings(result).length);
    if (pop.node.hidden) pop.close();
  };
  return { node: pop.node, show };
}
