// What each kind of request takes and makes: the server's table, which GET /v1/choices gives too.

import { kinds } from "./facts.js";

/** What a kind takes, by field: `{ type, required }` each; `controls.video` is that of every entry of a list. */
export const takes = (kind) => kinds[kind]?.takes ?? {};

/** The field of a kind that takes one thing of a type, if it has such a field. */
export const fieldFor = (kind, type) =>
  Object.keys(takes(kind)).find((name) => takes(kind)[name].type === type && !name.includes("."));

/** Whether a kind can make something of a type. */
export const canMake = (kind, type) => Boolean(kinds[kind]?.makes.some((made) => made.type === type));

/** Whether a request of a kind makes something of a type. */
export const isMade = ({ kind, request }, type) =>
  Boolean(kinds[kind]?.makes.some((made) => made.type === type && (!made.when || request[made.when])));

/** Whether a kind deals in actions. */
export const acts = (kind) => Boolean(kinds[kind]?.acts);
