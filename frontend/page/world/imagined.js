// What a fan and a rollout start from: the policy's form as it stands.

import { checkpoint } from "../data/checkpoint.js";
import { form } from "../form/values.js";

const SHARED = ["prompt", "embodiment", "action_width", "num_actions", "resolution", "fps", "checkpoint"];
const SIMULATED = "droid_joint_position"; // the embodiment of the simulated arm

/** Fields of a request to imagine; a seed that is not locked is drawn anew. */
export function imaginedStart() {
  const { sampling, ...request } = form.request();
  const kept = Object.fromEntries(SHARED.filter((name) => request[name] != null).map((name) => [name, request[name]]));
  return { ...kept, seed: (sampling?.seed ?? Math.floor(Math.random() * 2 ** 31)) % 2 ** 31 };
}

/** Whether its pictures are those of the simulated table. */
export const isSimulated = () => Boolean(checkpoint.details?.simulated) && form.get("embodiment") === SIMULATED;
