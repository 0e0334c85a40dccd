// What a comparison will cost, before it is started: the time of its cells, from what such requests took here, and the
// memory of its largest checkpoint.

import { duration, say } from "../data/facts.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const SETTLE_MS = 400;
const MOST_ASKED = 16; // kinds of cell; of more the first ones stand for all

/** `subjects` and `axes` as they will be sent. */
export function Cost({ subjects, axes, cells, memory }) {
  const found = useSignal(null); // seconds, or null where nothing can be said
  const request = subjects.find((subject) => subject.request)?.request;
  const asked = cells && request ? JSON.stringify({ request, axes }) : "";
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const seconds = asked ? await secondsOf(request, axes) : null;
      if (current) found.value = seconds === null ? null : seconds * cells;
    }, SETTLE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [asked, cells]);
  const told = [
    found.value !== null && say("compare.cost", { time: duration(found.value) }),
    memory !== null && say("compare.memory", { gb: memory }),
  ].filter(Boolean);
  return cells > 0 && told.length > 0 && html`<span class="o-hint">${told.join(" · ")}</span>`;
}

/** The mean time of a cell; null where the server knows of no such request. */
async function secondsOf(request, axes) {
  const varied = Object.entries(axes).filter(([path]) => !path.endsWith("seed"));
  let requests = [request];
  for (const [path, values] of varied) {
    requests = requests.flatMap((one) => values.map((value) => laid(one, path.split("."), value))).slice(0, MOST_ASKED);
  }
  const times = await Promise.all(requests.map(estimate));
  const known = times.filter((time) => time !== null);
  return known.length ? known.reduce((sum, time) => sum + time, 0) / known.length : null;
}

function laid(request, path, value) {
  const [name, ...rest] = path;
  if (!rest.length) return { ...request, [name]: value };
  return { ...request, [name]: laid(request[name] ?? {}, rest, value) };
}

async function estimate(request) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ request });
  const reply = await fetch("/v1/estimates", { method: "POST", body, headers }).catch(() => null);
  return reply?.ok ? ((await reply.json()).seconds ?? null) : null;
}
