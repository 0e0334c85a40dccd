// A fan or a rollout on the server: begun, looked at every second while it runs, cancelled.

import { say } from "../data/facts.js";
import { ask, askJson } from "../parts/server.js";
import { useEffect, useSignal } from "../vendor/preact.js";

const LOOK_MS = 1000;

const lost = () => ({ message: say("error.unreachable") });

/**
 * `path` is where such things are begun; `found` is null before the first. `keptAs` is the key of the last one's id in
 * the tab's storage, so that a reload shows it again; without it nothing is restored.
 */
export function useImagined(path, keptAs = null) {
  const found = useSignal(null);
  const { id, state } = found.value ?? {};
  const running = state === "running";
  const take = (answer) => {
    if (answer) {
      found.value = answer;
      if (keptAs) sessionStorage[keptAs] = answer.id;
    } else if (found.peek()?.state === "running") found.value = { ...found.peek(), state: "failed", error: lost() };
  };
  useEffect(() => {
    if (keptAs && sessionStorage[keptAs]) restored(path, keptAs).then((answer) => (found.value ??= answer));
  }, []);
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(async () => take(await ask("GET", `${path}/${id}`)), LOOK_MS);
    return () => clearInterval(timer);
  }, [running, id]);
  return {
    found: found.value,
    running,
    begin: async (request) => take(await askJson("POST", path, request)),
    cancel: async () => take(await ask("DELETE", `${path}/${id}`)),
  };
}

/** The last one; null where the server, which keeps some of them in memory, no longer has it. */
async function restored(path, keptAs) {
  try {
    const response = await fetch(`${path}/${sessionStorage[keptAs]}`);
    if (response.ok) return await response.json();
    if (response.status === 404) delete sessionStorage[keptAs];
  } catch {
    // The header says that the server does not answer.
  }
  return null;
}
