// What a person has set for this browser: kept there alone.

import { Store } from "./store.js";

const KEY = "orrery.settings";
const FIRST = { autoplay: true, angles: "rad", presets: {} }; // presets: the id that a form opens with, by its kind

class Settings extends Store {
  values = { ...FIRST, ...kept() };

  put(changes) {
    this.values = { ...this.values, ...changes };
    localStorage[KEY] = JSON.stringify(this.values);
    this.changed();
  }

  /** What an angle in rad is multiplied with to be shown. */
  get perRad() {
    return this.values.angles === "deg" ? 180 / Math.PI : 1;
  }
}

function kept() {
  try {
    return JSON.parse(localStorage[KEY] ?? "{}");
  } catch {
    return {};
  }
}

export const settings = new Settings();
