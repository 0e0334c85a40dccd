// Who votes and rates on this page: a name that the browser keeps, at first one that chance has made.

const VOTER = "orrery.voter";
const MOST_LETTERS = 60;

export function voter() {
  localStorage[VOTER] ||= `voter-${crypto.getRandomValues(new Uint16Array(1))[0].toString(16).padStart(4, "0")}`;
  return localStorage[VOTER];
}

/** Take another name; nothing happens where it has no letters. */
export function renameVoter(name) {
  const tidy = name.replace(/\s+/g, " ").trim().slice(0, MOST_LETTERS);
  if (tidy) localStorage[VOTER] = tidy;
}
