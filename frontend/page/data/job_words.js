// What a job is called in a list: its prompt, or what it does; and what is known of it in one line.

import { say } from "./facts.js";
import { meta } from "./jobs.js";

export const promptOf = (job) => job.request.written_from || job.request.prompt || say(`kind.${job.kind}`);

export const kindOf = (job) => say(`kind.${job.kind}`);

export const lineOf = (job) => [kindOf(job), job.checkpoint, meta(job)].filter(Boolean).join(" · ");
