// Where an image, a video or actions can go from here: to a form that starts from it, to the assistant, to what judges it.

import { hasWords, pages, places, say } from "../data/facts.js";
import { canMake, fieldFor, takes } from "../data/kinds.js";
import { checkpoint } from "../data/checkpoint.js";
import { refusalAt, refusalOf } from "../data/refusals.js";
import { seen } from "../data/store.js";
import { Icon } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { beginnings, refineFrom } from "../parts/send.js";
import { askJson } from "../parts/server.js";
import { html } from "../vendor/preact.js";
import { frameOf, grabFrame } from "./frame_grab.js";
import { upload } from "./media_facts.js";

const takeAFrame = Object.keys(pages).filter(
  (name) => fieldFor(pages[name][1], "image") && hasWords(`send_to.frame_${name}`),
);

/** Whether there is anywhere to go. */
export const canGo = (result, request) => beginnings(result).length > 0 || Boolean(refineFrom(result.id, request));

/** A button and its menu; `request` is what made it, null of an upload. */
export const SendTo = ({ result, request, up = false }) => html`
  <${Popover}
    label=${say("send_to.title")}
    up=${up}
    data-do="send"
    face=${html`<${Icon} name="send" size="15" />${say("send_to.title")}`}
  >
    ${(close) => html`<${Ways} result=${result} request=${request} close=${close} />`}
  <//>
`;

function Ways({ result, request, close }) {
  seen(checkpoint);
  const refine = refineFrom(result.id, request);
  const sources = request ? [...new Set(sourcesOf(request))] : [];
  const sound = !request?.sound;
  const hasSound = Boolean(request) && canMake(request.kind, "sound");

  async function sendFrame(name, file) {
    const item = file && (await upload(file, () => {}));
    if (item) location.assign(`${pages[name][0]}?from=${item.id}`);
  }
  function runAgain() {
    close();
    const sampling = { ...request.sampling, seed: result.seed };
    askJson("POST", "/v1/jobs", { ...request, sound, count: 1, sampling });
  }

  const starts = beginnings(result).filter((name) => pages[name] ?? places[name]);
  const shownFrame = () => frameOf(document.querySelector("o-stage video, .o-viewer video"));
  const isVideo = result.type === "video";
  return html`
    ${starts.length > 0 && html`<b class="o-row-head">${say(`send_to.group_${result.type}`)}</b>`}
    ${starts.map((name) => {
      const href = `${(pages[name] ?? [places[name]?.path])[0]}?from=${result.id}`;
      return html`<${Way} words=${say(`send_to.${result.type}_${name}`)} why=${refusalAt(name)} href=${href} to=${name} />`;
    })}
    ${
      isVideo && [
        html`<b class="o-row-head">${say("send_to.group_frame")}</b>`,
        pages.video &&
          html`<${Way}
            words=${say("send_to.last_frame")}
            to="last_frame"
            why=${refusalAt("video")}
            act=${async () => sendFrame("video", await grabFrame(result.url, Infinity))}
          />`,
        ...takeAFrame.map(
          (name) => html`<${Way}
            words=${say(`send_to.frame_${name}`)}
            why=${refusalAt(name)}
            act=${async () => sendFrame(name, await shownFrame())}
          />`,
        ),
      ]
    }
    ${(refine || sources.length > 0 || hasSound) && html`<b class="o-row-head">${say("send_to.group_more")}</b>`}
    ${refine && html`<a class="o-row" href=${refine} data-to="refine">${say("send_to.refine")}</a>`}
    ${
      sources.length > 0 &&
      html`<a class="o-row" href=${`/compare?items=${[...sources, result.id].join(",")}`} data-to="compare">
        ${say("send_to.compare")}
      </a>`
    }
    ${
      hasSound &&
      html`<${Way}
        words=${say(sound ? "send_to.with_sound" : "send_to.without_sound")}
        why=${request.checkpoint ? "" : refusalOf(request.kind, sound)}
        act=${runAgain}
      />`
    }
  `;
}

/** Ids of the images and videos that a result was made from. */
function sourcesOf(request) {
  return Object.keys(takes(request.kind)).flatMap((path) => {
    const [field, inner] = path.split(".");
    const given = [request[field]].flat().map((value) => (inner ? value?.[inner] : value));
    return given.filter((value) => typeof value === "string");
  });
}

/** A row of the menu; `why` says why it cannot be gone, and is empty where it can. */
function Way({ words, why, href, act, to = null }) {
  if (why)
    return html`<button type="button" class="o-row" aria-disabled="true" data-to=${to}>${words}<small>${why}</small></button>`;
  if (href) return html`<a class="o-row" href=${href} data-to=${to}>${words}</a>`;
  return html`<button type="button" class="o-row" data-to=${to} onClick=${act}>${words}</button>`;
}
