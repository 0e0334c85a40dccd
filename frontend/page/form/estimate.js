// What pressing the button will cost, from what this machine took for the same canvas before: asked of the server a
// moment after the last change.

import { checkpoint } from "../data/checkpoint.js";
import { duration, kind, say } from "../data/facts.js";
import { before } from "../data/jobs.js";
import { canMake, takes } from "../data/kinds.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { define } from "../parts/element.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";
import { CopyButtons } from "./copies.js";
import { form } from "./values.js";
import { promptsOf } from "./wildcards.js";

const SETTLE_MS = 300;

/** Whether there is anything to ask: a form that is half filled in, or that the checkpoint refuses, takes no time. */
function canRun(request) {
  const { kind, controls = [], source_video: source, resolution } = request;
  const missing = Object.entries(takes(kind)).some(
    ([path, { required }]) => required && !request[path.split(".")[0]]?.length,
  );
  const bare = controls.some(({ hint, video }) => !video && !(source && hint !== "wsm"));
  const beyond = checkpoint.limited.some((path) => {
    const [value, span] = [form.get(path), checkpoint.span(path, resolution)];
    return value != null && span && (value < span.low || value > span.high);
  });
  return !(missing || bare || beyond) && checkpoint.takes(request);
}

/** The request as JSON, without what no time depends on; empty where there is nothing to ask. */
function question() {
  if (!form.values) return "";
  const { prompt: _, sampling, ...rest } = form.request();
  const { seed: __, ...timed } = sampling;
  const request = { ...rest, sampling: timed, prompt: "-" };
  return canRun(request) ? JSON.stringify({ request }) : "";
}

function Estimate() {
  const latest = useSignal(null); // { seconds, basis, samples, queue_seconds }, or null where nothing can be said
  const { state } = seen(live);
  const { values } = seen(form);
  const body = seen(checkpoint) && question();
  // A job that has ended says how long such a thing takes.
  const ended = Object.values(state.jobs).filter((job) => job.finished_at).length;

  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const headers = { "content-type": "application/json" };
      const reply = body && (await fetch("/v1/estimates", { method: "POST", body, headers }).catch(() => null));
      const answer = reply?.ok ? await reply.json() : null;
      if (current) latest.value = answer;
    }, SETTLE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [body, ended]);

  const words = values ? wordsOf(state, values, latest.value ?? {}) : [];
  return html`
    <span title=${latest.value?.reason}>${words.filter(Boolean).join(" · ")}</span>
    <span class="o-copies" role="group" aria-label=${say("copy.label")}>
      ${say("copy.label")}
      ${values && html`<${CopyButtons} request=${() => form.request()} priority=${values.priority} />`}
    </span>
  `;
}

function wordsOf(state, values, { seconds, basis, queue_seconds: queue }) {
  const { "sampling.num_inference_steps": steps, count } = values;
  const measured =
    seconds != null && say(basis === "similar" ? "estimate.similar" : "estimate.time", { time: duration(seconds) });
  const prompts = promptsOf(form.get("prompt") ?? "").length;
  return [
    prompts > 1 && say("estimate.prompts", { prompts }),
    count > 1 && say(canMake(kind, "image") ? "estimate.pictures" : "estimate.clips", { count }),
    measured || say(steps === 1 ? "estimate.step" : "estimate.steps", { steps }),
    wait(state, measured, queue),
  ];
}

function wait(state, measured, queue) {
  const loaded = checkpoint.status;
  if (loaded && loaded.state !== "ready") return say("estimate.held", { title: loaded.title });
  if (state.system.queue?.paused) return say("estimate.paused");
  const jobs = before(state);
  if (!jobs) return measured ? "" : say("estimate.now");
  const after = jobs === 1 ? say("estimate.after_one") : say("estimate.after", { jobs });
  return queue ? `${after}, ${say("estimate.after_time", { time: duration(queue) })}` : after;
}

define("o-estimate", Estimate);
