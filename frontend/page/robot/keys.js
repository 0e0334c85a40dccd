// The robot page's keys. A stop is heard before anything else on the page, and is never passed on as a click.

import { isTyping, press } from "../parts/keyboard.js";
import { robot } from "./link.js";

const PURPOSES = { h: "hold", r: "resume", a: "approve", x: "reject", n: "step" };

const moves = () => robot.engaged || Boolean(robot.busy);

/** On a button or a link of a robot at rest, Space is what it is everywhere else. */
const pressesSomething = (event) => !moves() && event.composedPath()[0].closest?.("button, a, select, summary, input");

const stops = (event) =>
  (event.key === " " && !isTyping(event) && !pressesSomething(event)) || (event.key === "Escape" && moves());

let swallowed = false; // The release of a Space that stopped would still click a focused button.

addEventListener(
  "keydown",
  (event) => {
    if (stops(event)) {
      swallowed = event.key === " ";
      if (swallowed) event.preventDefault();
      if (!event.repeat) robot.stop();
      return;
    }
    if (event.repeat || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const purpose = PURPOSES[event.key.toLowerCase()];
    if (purpose) press(purpose);
  },
  true,
);

addEventListener(
  "keyup",
  (event) => {
    if (event.key !== " " || !swallowed) return;
    swallowed = false;
    event.preventDefault();
  },
  true,
);
