// The entry of Evaluate: defines its elements, opens the socket, and asks what there is. `evaluation` is there for
// whoever looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "./page.js";
import { live } from "../data/live.js";
import { blind } from "../blind/store.js";
import { hue } from "../hue/store.js";
import { evaluation } from "./store.js";

window.orrery = { evaluation };
live.start();
evaluation.start();
hue.start();
blind.start();

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
