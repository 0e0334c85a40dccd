// A button that gives the robot an order.

import { say } from "../data/facts.js";
import { make } from "../parts/nodes.js";
import { robot } from "./link.js";

/**
 * As make("button"); `key` is the letter that presses it.
 *
 * @param {string} command
 * @param {Record<string, any>} attributes
 */
export function orderButton(command, { key, ...attributes } = {}) {
  const keys = key ? { "data-hot": command, "aria-keyshortcuts": key } : {};
  const button = make(
    "button",
    {
      type: "button",
      class: "o-btn",
      "data-do": command,
      ...keys,
      on: { click: () => robot.tell(command) },
      ...attributes,
    },
    say(`robot.${command}`),
  );
  if (key) button.append(make("kbd", { "aria-hidden": "true" }, key));
  return button;
}
