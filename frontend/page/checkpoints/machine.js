// How busy the server's machine is, and what the server logs; asked for while somebody looks.

import { say } from "../data/facts.js";
import { bytes } from "../data/recipe.js";
import { Meter } from "../parts/progress_bar.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const EVERY_MS = 2000;
const GB = 1e9;

/** What a route answers, asked for again and again while `wanted` and the page is looked at. */
function usePolled(path, wanted = true) {
  const found = useSignal(null);
  useEffect(() => {
    if (!wanted) return;
    const look = async () => {
      if (document.hidden) return;
      const reply = await fetch(path).catch(() => null);
      if (reply?.ok) found.value = await reply.json();
    };
    look();
    const timer = setInterval(look, EVERY_MS);
    return () => clearInterval(timer);
  }, [path, wanted]);
  return found.value;
}

export function Machine() {
  const load = usePolled("/v1/system");
  if (!load) return null;
  const { cpu_percent: cpu, num_cores: cores, memory_used_gb: used, memory_total_gb: total, gpus } = load;
  const sizes = (part, whole) => ({ used: bytes(part * GB), total: bytes(whole * GB) });
  return html`
    <section class="o-card-plain o-machine" aria-label=${say("machine.title")}>
      <h2>${say("machine.title")}</h2>
      <${Load} words=${say("machine.cpu", { percent: Math.round(cpu), cores })} share=${cpu / 100} />
      <${Load} words=${say("machine.memory", sizes(used, total))} share=${used / total} />
      ${gpus.map(
        ({ index, name, percent, used_gb: part, total_gb: whole }) => html`
          <${Load}
            key=${index}
            words=${say("machine.gpu", { index, name, percent: Math.round(percent), ...sizes(part, whole) })}
            share=${percent / 100}
          />
        `,
      )}
      <${Hosts} hosts=${load.hosts} />
      <${Log} />
    </section>
  `;
}

/** The hosts of a cluster, a line for each replica: where it is, which cards it has, and what its engines do. */
function Hosts({ hosts }) {
  if (!hosts.length) return null;
  return html`
    <h3>${say("machine.hosts")}</h3>
    <ul class="o-hosts" aria-label=${say("machine.hosts")}>
      ${hosts.map((host) => html`<li key=${host.replica}>${host.name ? html`<${Host} ...${host} />` : waiting(host)}</li>`)}
    </ul>
  `;
}

const waiting = ({ replica, waits_for: reason }) => say("machine.waits", { replica, reason });

function Host({ replica, name, latency_ms: ms, shares_media: shares, near, checkpoints, load, engines }) {
  const place = say(near ? "machine.near" : "machine.far", { replica, name, ms });
  const files = say(shares ? "machine.shared" : "machine.sent");
  const cards = load.gpus.map((gpu) => gpu.name).join(", ") || say("machine.cores", { cores: load.num_cores });
  return html`
    <b>${place}</b> ${cards} · ${files}
    <span>${say("machine.has", { checkpoints: checkpoints.join(", ") })}</span>
    ${engines.map(
      ({ checkpoint, state, job_id: job }) => html`
        <span key=${checkpoint}>${say(job ? "machine.runs" : "machine.engine", { checkpoint, state, job })}</span>
      `,
    )}
  `;
}

const Load = ({ words, share }) => html`
  <div class="o-machine-load"><span>${words}</span><${Meter} share=${share} aria-label=${words} /></div>
`;

function Log() {
  const open = useSignal(false);
  const entries = usePolled("/v1/system/log", open.value)?.entries;
  return html`
    <details onToggle=${({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>${say("machine.log")}</summary>
      <ol class="o-log" tabindex="0" aria-label=${say("machine.log")}>
        ${entries?.toReversed().map(
          ({ at, level, event, fields }) => html`
            <li data-level=${level}>
              <time>${new Date(at).toLocaleTimeString([], { hour12: false })}</time>
              <b>${event}</b> ${Object.entries(fields)
                .map(([name, value]) => `${name}=${value}`)
                .join(" ")}
            </li>
          `,
        )}
      </ol>
    </details>
  `;
}
