// The entry of Tune: defines its elements, opens the socket, and asks what there is. `tuning` is there for whoever
// looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "./page.js";
import { live } from "../data/live.js";
import { tuning } from "./store.js";

window.orrery = { tuning };
live.start();
tuning.start();

// A file that falls beside the place for it must not make the browser leave the page.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
