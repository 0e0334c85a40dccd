// Who votes on this page: a name that the browser keeps, at first one that chance has made.

const KEY = "orrery.voter";
const MOST = 60;

class Voter extends EventTarget {
  get name() {
    localStorage[KEY] ||= `voter-${crypto.getRandomValues(new Uint16Array(1))[0].toString(16).padStart(4, "0")}`;
    return localStorage[KEY];
  }

  set name(name) {
    const tidy = name.replace(/\s+/g, " ").trim().slice(0, MOST);
    if (!tidy || tidy === localStorage[KEY]) return;
    localStorage[KEY] = tidy;
    this.dispatchEvent(new Event("state"));
  }
}

export const voter = new Voter();
