// Settings on their way back into a form: this page's, or that of the page which makes such things.

import { checkpoint } from "../data/checkpoint.js";
import { kind, page, pages } from "../data/facts.js";
import { live } from "../data/live.js";
import { makerOf } from "./send.js";

const KEY = "orrery.use"; // in the session, from one page to the next

/** Some fields of a request, nested as in JSON; the page's handler fills in the fields that are named. */
export const fill = (values) => document.dispatchEvent(new CustomEvent("o-use", { detail: values }));

/** A preset: likewise, and what it does not say becomes what the page starts with. */
export const load = (values) =>
  document.dispatchEvent(new CustomEvent("o-preset", { detail: { values, checkpoint: checkpoint.picked } }));

/**
 * A whole request, its seed locked so that Generate makes the same thing. On another page's kind that page opens.
 * `ran` is the checkpoint that it ran on; where that is not the active one, the form asks for it.
 */
export function useAgain(said, ran = null) {
  const active = live.state.system.checkpoint?.id;
  const meant = said.checkpoint ?? ran;
  const request = { ...said, checkpoint: meant === active ? null : meant };
  const home = homeOf(request);
  if (home === page) {
    fill({ ...request, seed_lock: true });
    return;
  }
  sessionStorage[KEY] = JSON.stringify(request);
  location.assign(pages[home][0]);
}

/** The page that makes such requests: this one where it can. */
export function homeOf(request) {
  return request.kind === kind ? page : makerOf(request.kind, request.sound);
}

/** The request that another page has handed over, once. */
export function handedOver() {
  const request = sessionStorage[KEY];
  delete sessionStorage[KEY];
  return request ? JSON.parse(request) : null;
}
