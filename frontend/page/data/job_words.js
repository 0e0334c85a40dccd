// What a job or an artefact is called in a list: its prompt, or what it does; and what is known of it in one line.

import { sentenceOf } from "./captions.js";
import { say } from "./facts.js";
import { meta } from "./jobs.js";

export const promptOf = ({ request, kind }) =>
  request.written_from || sentenceOf(request.prompt) || say(`kind.${kind}`);

/** What an artefact is called in a list. */
export const nameOf = (item) => item.title || sentenceOf(item.prompt) || say(`media.${item.type}`);

export const kindOf = (job) => say(`kind.${job.kind}`);

export const lineOf = (job) => [kindOf(job), job.checkpoint, meta(job)].filter(Boolean).join(" · ");
