// Light or dark: what the system says until a person chooses. Also read in the head, before the first paint.

import { Store } from "../data/store.js";

const KEY = "orrery.theme";
const DARK = matchMedia("(prefers-color-scheme: dark)");

class Theme extends Store {
  constructor() {
    super();
    DARK.addEventListener("change", () => this.chosen === "system" && this.#apply());
  }

  /** "light", "dark" or "system". */
  get chosen() {
    return localStorage[KEY] ?? "system";
  }

  get isDark() {
    return document.body.classList.contains("dark");
  }

  choose(name) {
    if (name === "system") localStorage.removeItem(KEY);
    else localStorage[KEY] = name;
    this.#apply();
  }

  #apply() {
    const dark = this.chosen === "system" ? DARK.matches : this.chosen === "dark";
    for (const root of [document.documentElement, document.body]) root.classList.toggle("dark", dark);
    this.changed();
  }
}

export const theme = new Theme();
